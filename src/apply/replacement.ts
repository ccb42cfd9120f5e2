import { ConvergeError } from '../errors/converge-error.ts'
import type { Problem } from '../model/plan.ts'
import type { SmokeResult } from '../model/report.ts'
import { planAgain } from './describe-failure.ts'

/**
 * Watches over one action that replaces a running server and has a rollback to it: the new one is proved before anything else is
 * done on the host, because later the rollback may not be safe any more.
 */
export interface Replacement {
  /** Called once it took effect. */
  settle(): Promise<Settled>
}

export type Settled =
  | { readonly kind: 'kept' }
  | { readonly kind: 'interrupted' }
  /** The one before it comes back. */
  | { readonly kind: 'not-proved'; readonly problem: Problem }

export interface ReplacementPlace {
  readonly host: string
  readonly service: string
  /** Undefined after an interrupt. Absent: nobody wants a proof. */
  readonly prove?: () => Promise<SmokeResult | undefined>
}

export function createReplacement({ host, service, prove }: ReplacementPlace): Replacement {
  return {
    settle: async () => {
      if (prove === undefined) return { kind: 'kept' }
      const result = await prove()
      if (result === undefined) return { kind: 'interrupted' }
      if (result.ok) return { kind: 'kept' }
      const broken = result.checks.find((check) => !check.ok && check.skipped === undefined)
      // Where nothing failed, something was not looked at any more.
      if (broken === undefined) return { kind: 'interrupted' }
      return { kind: 'not-proved', problem: notProved({ host, service }, `${broken.name}: ${broken.detail}`) }
    },
  }
}

function notProved({ host, service }: Pick<ReplacementPlace, 'host' | 'service'>, detail: string): Problem {
  return new ConvergeError('APPLY.NOT_PROVED', {
    summary: 'The new server does not work.',
    why: `On ${host}, for service ${service}: it took the place of the one before, and did not pass its proof. ${detail}`,
    next: [planAgain({ host })],
  }).toProblem()
}
