import { lastOption } from './option.ts'

/** What a server process was started with. */
export interface Started {
  readonly argv: readonly string[]
  /** Undefined: unreadable. */
  readonly env: Readonly<Record<string, string>> | undefined
}

/** The flag and the variable that give a server its budget. */
export interface BudgetNames {
  readonly flag: string
  readonly variable: string
}

/**
 * The budget of a running server in GiB. `automatic`: it has none, and takes most of the free memory. Undefined: unknown.
 */
export function startedBudget({ argv, env }: Started, { flag, variable }: BudgetNames): number | 'automatic' | undefined {
  return budgetIn(lastOption(argv, [flag]), env === undefined ? undefined : (env[variable] ?? ''))
}

/** The same from a flag and a variable; the flag takes precedence; 0 and non-numbers are no budget. */
export function budgetIn(flag: string | undefined, variable: string | undefined): number | 'automatic' | undefined {
  if (Number(flag) > 0) return Number(flag)
  if (variable === undefined) return undefined
  return Number(variable) > 0 ? Number(variable) : 'automatic'
}

/** The path of a running server's model, as it sees it; undefined: not in its arguments. */
export function startedModel({ argv, env }: Started): string | undefined {
  return lastOption(argv, ['--model', '-m']) ?? env?.['LLAMA_ARG_MODEL']
}
