import { ConvergeError } from '../errors/converge-error.ts'
import type { Emit } from '../model/event.ts'
import type { VerifyLevel } from '../model/playbook.ts'
import type { SmokeResult } from '../model/report.ts'
import type { Clock } from '../time/clock.ts'
import { problemOf } from './run-actions.ts'
import type { Stopwatch } from './stopwatch.ts'

/** A host whose services can be proved. */
export interface VerifiableHost {
  readonly host: string
  /** Proves that a service works. */
  verify(service: string, level: Exclude<VerifyLevel, 'none'>): Promise<SmokeResult>
}

interface ProofRun {
  readonly run: { readonly clock: Clock; readonly emit: Emit; readonly signal: AbortSignal }
  readonly watch: Stopwatch
}

/** The proofs of one host's services in one run, in order. */
export interface Proofs {
  /** The run's verify level asks for proofs. */
  readonly areRequired: boolean
  /** Proves a service, at least by a smoke test, without keeping the result. */
  ask(service: string): Promise<SmokeResult>
  /** Proves a service, even if it was proved before. */
  proveNow(service: string): Promise<SmokeResult>
  /** Proves services not proved yet, one after another: two servers that load at the same time slow each other down. */
  proveRest(services: readonly string[]): Promise<void>
  /** Keeps results of `ask`. */
  note(results: readonly SmokeResult[]): void
  results(): readonly SmokeResult[]
}

export function createProofs(task: VerifiableHost, requested: VerifyLevel, { run, watch }: ProofRun): Proofs {
  const level = requested === 'none' ? 'smoke' : requested
  const results: SmokeResult[] = []
  const ask = async (service: string): Promise<SmokeResult> => {
    const began = run.clock.now()
    const result = run.signal.aborted ? notLookedAt(task.host, service) : await proveService(task, service, level, run)
    watch.proved(result, began)
    run.emit({ type: 'smoke-finished', host: task.host, result })
    return result
  }
  const proveNow = async (service: string): Promise<SmokeResult> => {
    const result = await ask(service)
    results.push(result)
    return result
  }
  return {
    areRequired: requested !== 'none',
    ask,
    proveNow,
    proveRest: async (services) => {
      for (const service of services) if (!results.some((one) => one.service === service)) await proveNow(service)
    },
    note: (more) => void results.push(...more),
    results: () => results,
  }
}

function notLookedAt(host: string, service: string): SmokeResult {
  const check = { name: 'health' as const, ok: false, skipped: 'the run was interrupted', detail: '', ms: 0 }
  return { host, service, ok: false, checks: [check] }
}

async function proveService(
  task: VerifiableHost,
  service: string,
  level: Exclude<VerifyLevel, 'none'>,
  { signal }: ProofRun['run'],
): Promise<SmokeResult> {
  try {
    return await task.verify(service, level)
  } catch (error) {
    if (signal.aborted && !(error instanceof ConvergeError)) return notLookedAt(task.host, service)
    const { why } = problemOf(task.host, error)
    const checks = [{ name: 'health' as const, ok: false, detail: `no answer: ${why}`, ms: 0 }]
    return { host: task.host, service, ok: false, checks }
  }
}
