import type { Service } from '../model/fleet.ts'
import { lastOption } from './option.ts'

/** A process of a server, by what it was started with. */
export interface Started {
  readonly argv: readonly string[]
  /** Undefined: it cannot be read. */
  readonly env: Readonly<Record<string, string>> | undefined
}

/**
 * The budget of a running Kind B in GiB. `automatic`: it was given none, and takes most of the memory that it finds. Undefined: nobody
 * can tell.
 */
export function startedBudget({ argv, env }: Started): number | 'automatic' | undefined {
  return budgetIn(lastOption(argv, ['--ram']), env === undefined ? undefined : (env['RAM_GB'] ?? ''))
}

/** The same by a flag and a variable, of which the flag wins; 0 and what is no number are no budget. */
export function budgetIn(flag: string | undefined, variable: string | undefined): number | 'automatic' | undefined {
  if (Number(flag) > 0) return Number(flag)
  if (variable === undefined) return undefined
  return Number(variable) > 0 ? Number(variable) : 'automatic'
}

/** The path of the model that a running Kind A was started with, as it sees it; undefined: its arguments do not say. */
export function startedModel({ argv, env }: Started): string | undefined {
  return lastOption(argv, ['--model', '-m']) ?? env?.['LLAMA_ARG_MODEL']
}

/** A running Kind A as the service that it was started as, as far as its memory goes: what its arguments leave out, the model says. */
export function asStarted(service: Service, { argv, env = service.extraEnv }: Started): Service {
  return { ...service, ctxSize: Number(env['LLAMA_ARG_CTX_SIZE'] ?? 0), extraArgs: argv, extraEnv: env }
}
