import { ConvergeError } from '../errors/converge-error.ts'
import type { Emit } from '../model/event.ts'
import type { VerifyLevel } from '../model/playbook.ts'
import type { SmokeResult } from '../model/report.ts'
import type { Clock } from '../time/clock.ts'
import { problemOf } from './run-actions.ts'
import type { Stopwatch } from './stopwatch.ts'

/** A host on which services can be proved. */
export interface ProvingGround {
  readonly host: string
  /** Proves that a service works. */
  verify(service: string, level: Exclude<VerifyLevel, 'none'>): Promise<SmokeResult>
}

interface Proving {
  readonly run: { readonly clock: Clock; readonly emit: Emit; readonly signal: AbortSignal }
  readonly watch: Stopwatch
}

/** One after another: two servers that load at the same time would only slow each other. */
export async function proveServices(
  task: ProvingGround,
  level: Exclude<VerifyLevel, 'none'>,
  services: readonly string[],
  { run, watch }: Proving,
): Promise<readonly SmokeResult[]> {
  const results: SmokeResult[] = []
  for (const service of services) {
    const began = run.clock.now()
    const result = run.signal.aborted ? notLookedAt(task.host, service) : await proveService(task, service, level, run)
    watch.proved(result, began)
    run.emit({ type: 'smoke-finished', host: task.host, result })
    results.push(result)
  }
  return results
}

function notLookedAt(host: string, service: string): SmokeResult {
  const check = { name: 'health' as const, ok: false, skipped: 'the run was interrupted', detail: '', ms: 0 }
  return { host, service, ok: false, checks: [check] }
}

async function proveService(
  task: ProvingGround,
  service: string,
  level: Exclude<VerifyLevel, 'none'>,
  { signal }: Proving['run'],
): Promise<SmokeResult> {
  try {
    return await task.verify(service, level)
  } catch (error) {
    if (signal.aborted && !(error instanceof ConvergeError)) return notLookedAt(task.host, service)
    const { why } = problemOf(task.host, error)
    const checks = [{ name: 'health' as const, ok: false, detail: `it could not be asked: ${why}`, ms: 0 }]
    return { host: task.host, service, ok: false, checks }
  }
}
