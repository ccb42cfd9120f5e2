import { lastOption } from './option.ts'

/** A process of a server, by what it was started with. */
export interface Started {
  readonly argv: readonly string[]
  /** Undefined: it cannot be read. */
  readonly env: Readonly<Record<string, string>> | undefined
}

/** Flag and variable by which a server is given its budget. */
export interface BudgetNames {
  readonly flag: string
  readonly variable: string
}

/**
 * The budget of a running server in GiB. `automatic`: it was given none, and takes most of the memory that it finds. Undefined: it cannot
 * be told.
 */
export function startedBudget({ argv, env }: Started, { flag, variable }: BudgetNames): number | 'automatic' | undefined {
  return budgetIn(lastOption(argv, [flag]), env === undefined ? undefined : (env[variable] ?? ''))
}

/** The same by a flag and a variable, of which the flag wins; 0 and what is no number are no budget. */
export function budgetIn(flag: string | undefined, variable: string | undefined): number | 'automatic' | undefined {
  if (Number(flag) > 0) return Number(flag)
  if (variable === undefined) return undefined
  return Number(variable) > 0 ? Number(variable) : 'automatic'
}

/** The path of the model that a running server was started with, as it sees it; undefined: its arguments do not say. */
export function startedModel({ argv, env }: Started): string | undefined {
  return lastOption(argv, ['--model', '-m']) ?? env?.['LLAMA_ARG_MODEL']
}
