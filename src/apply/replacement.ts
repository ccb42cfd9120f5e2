import { ConvergeError } from '../errors/converge-error.ts'
import type { Problem } from '../model/plan.ts'
import type { SmokeResult } from '../model/report.ts'
import { planAgain } from './describe-failure.ts'

/**
 * The proof of one action that replaces a running server and can roll back to it. The new server is proved before anything else
 * happens on the host, because later a rollback may be unsafe.
 */
export interface Replacement {
  /** Called once the action took effect. */
  settle(): Promise<Settled>
}

export type Settled =
  | { readonly kind: 'kept' }
  | { readonly kind: 'interrupted' }
  /** The previous server is restored. */
  | { readonly kind: 'not-proved'; readonly problem: Problem }

export interface ReplacementOptions {
  readonly host: string
  readonly service: string
  /** Returns undefined after an interrupt. Absent: no proof is required. */
  readonly prove?: () => Promise<SmokeResult | undefined>
}

export function createReplacement({ host, service, prove }: ReplacementOptions): Replacement {
  return {
    settle: async () => {
      if (prove === undefined) return { kind: 'kept' }
      const result = await prove()
      if (result === undefined) return { kind: 'interrupted' }
      if (result.ok) return { kind: 'kept' }
      const broken = result.checks.find((check) => !check.ok && check.skipped === undefined)
      // No check failed, so one was skipped.
      if (broken === undefined) return { kind: 'interrupted' }
      return { kind: 'not-proved', problem: notProved({ host, service }, `${broken.name}: ${broken.detail}`) }
    },
  }
}

function notProved({ host, service }: Pick<ReplacementOptions, 'host' | 'service'>, detail: string): Problem {
  return new ConvergeError('APPLY.NOT_PROVED', {
    summary: 'The new server does not work.',
    why: `On ${host}, for service ${service}: it replaced the previous server and failed its test. ${detail}`,
    next: [planAgain({ host })],
  }).toProblem()
}
