import { ConvergeError, InternalError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import type { Service } from '../model/fleet.ts'
import type { SmokeTest } from '../model/launch.ts'
import type { RequestKind } from '../model/names.ts'
import type { RequestCheck, SmokeCheck, SmokeResult } from '../model/report.ts'
import { answerKinds } from './answer-kinds.ts'
import { checkSpeed } from './check-speed.ts'
import { checkClient } from './client-reload.ts'
import { type HttpAsk, httpTo } from './http-probe.ts'
import { askOf, checkKey, checkModels, checkRequest } from './smoke-checks.ts'
import type { SmokeDeps, Verdict } from './smoke-deps.ts'
import { type Readiness, waitReady } from './wait-ready.ts'
import { type Ending, type LifeWatch, watchLife } from './watch-life.ts'

type CheckName = SmokeCheck['name']

interface Bench {
  readonly smoke: SmokeTest
  readonly deps: SmokeDeps
  readonly http: HttpAsk
  /** Set by the health check, which precedes everything that needs it. */
  life?: LifeWatch
  /** Set by the completion. */
  chatMs?: number
}

const beforeRequest: readonly CheckName[] = ['co-run', 'health', 'models', 'key']
const afterRequest: readonly CheckName[] = ['port-owner', 'client']
const requestChecks = { chat: 'completion', embedding: 'embedding', rerank: 'rerank' } as const satisfies Record<
  RequestKind,
  RequestCheck
>

const checks: Readonly<Record<CheckName, (bench: Bench) => Promise<Verdict>>> = {
  'co-run': ({ deps }) => deps.coRun(),
  health: checkHealth,
  models: ({ http, smoke, deps }) =>
    deps.keyProblem === undefined
      ? checkModels(http, smoke, deps.key)
      : Promise.resolve({ ok: false, detail: `not asked, because its key is not available here: ${deps.keyProblem}` }),
  key: ({ http, smoke, deps }) => checkKey(http, smoke, deps.key),
  completion: checkAnswer,
  embedding: checkAnswer,
  rerank: checkAnswer,
  speed: checkBenchSpeed,
  'port-owner': ({ deps }) => deps.portOwner(),
  client: ({ smoke, deps }) => checkClient(deps.reload, smoke.models.alias, deps.signal),
}

/**
 * The proof that a service works, in the order of the specification. Stops at the first failed check: the others would only cost time, up to an
 * hour. With level `health` it stops after health. Throws only for a bug.
 */
export async function smokeTest(
  service: Pick<Service, 'name' | 'host' | 'port'>,
  smoke: SmokeTest,
  deps: SmokeDeps,
): Promise<SmokeResult> {
  const bench: Bench = { smoke, deps, http: untilInterrupted(httpTo(deps.transport, service.port), deps.signal) }
  const names =
    deps.level === 'health'
      ? beforeRequest.slice(0, beforeRequest.indexOf('health') + 1)
      : namesFor(smoke, deps.speed !== undefined)
  const done: SmokeCheck[] = []
  for (const name of names) {
    const ended = done.find((check) => !check.ok)
    if (ended === undefined) done.push(await timed(name, bench))
    else done.push({ name, ok: false, skipped: ended.skipped ?? 'an earlier check failed', detail: '', ms: 0 })
  }
  return { host: service.host, service: service.name, ok: done.every((check) => check.ok), checks: done }
}

/** Only chats are compared with earlier ones. */
function namesFor({ request }: SmokeTest, isCompared: boolean): readonly CheckName[] {
  const asked: readonly CheckName[] = request === undefined ? [] : [requestChecks[request.kind]]
  const speed: readonly CheckName[] = isCompared && request?.kind === 'chat' ? ['speed'] : []
  return [...beforeRequest, ...asked, ...speed, ...afterRequest]
}

/** No question outlives the interrupt, whatever its own signal. */
function untilInterrupted(http: HttpAsk, interrupt: AbortSignal | undefined): HttpAsk {
  if (interrupt === undefined) return http
  return ({ signal = interrupt, ...request }) => http({ ...request, signal: AbortSignal.any([signal, interrupt]) })
}

async function timed(name: CheckName, bench: Bench): Promise<SmokeCheck> {
  const { clock, signal } = bench.deps
  const started = clock.now()
  const verdict = signal?.aborted === true ? interrupted : await ask(name, bench)
  const ms = clock.now() - started
  if (name === 'completion') bench.chatMs = ms
  return { name, ...verdict, ms }
}

async function ask(name: CheckName, bench: Bench): Promise<Verdict> {
  try {
    const verdict = await checks[name](bench)
    // An interrupted check has no result.
    return !verdict.ok && bench.deps.signal?.aborted === true ? interrupted : verdict
  } catch (error) {
    if (bench.deps.signal?.aborted === true) return interrupted
    if (!(error instanceof ConvergeError)) throw error
    return { ok: false, detail: `the request failed: ${error.why}` }
  }
}

const interrupted: Verdict = { ok: false, skipped: 'the run was interrupted', detail: '' }

async function checkHealth(bench: Bench): Promise<Verdict> {
  const { smoke, deps, http } = bench
  bench.life = await watchLife(deps)
  const question = {
    path: smoke.health.path,
    timeoutS: smoke.readyTimeoutS,
    ...defined({ key: deps.key }),
  }
  const readiness: Readiness = await waitReady(http, question, bench.life, deps.clock)
  if (readiness.kind === 'ready') return { ok: true, detail: 'answers' }
  if (readiness.kind === 'wrong') return { ok: false, detail: readiness.detail }
  const last = readiness.last === undefined ? '' : `; last attempt: ${readiness.last}`
  return describeEnding(readiness, `it was not ready within ${smoke.readyTimeoutS} s${last}`, deps)
}

async function checkAnswer({ smoke: { request }, deps, http, life }: Bench): Promise<Verdict> {
  if (request === undefined) throw new InternalError('the smoke test makes no request, and judges its answer')
  const watch = life ?? (await watchLife(deps))
  const ended = await checkRequest(http, request, deps.key, watch, deps.clock)
  if ('ok' in ended) return ended
  return describeEnding(ended, `there was no ${answerKinds[request.kind].name} within ${request.timeoutS} s`, deps)
}

function checkBenchSpeed({ smoke: { request }, deps, http, chatMs = 0 }: Bench): Promise<Verdict> {
  if (request === undefined) throw new InternalError('the smoke test makes no request, and compares its time')
  const chat = async () => {
    const reply = await http({ ...askOf(request, deps.key), timeoutMs: chatMs })
    return reply.kind === 'answered' && reply.status === 200
  }
  return checkSpeed({ ...deps, chatMs, chat })
}

/** The log explains a dead process, or one that took too long. */
async function describeEnding(ending: Ending, late: string, deps: SmokeDeps): Promise<Verdict> {
  if (ending.kind === 'interrupted') return interrupted
  const why = ending.kind === 'dead' ? ending.detail : late
  const log = (await deps.lastLog()).trim()
  return { ok: false, detail: log === '' ? `${why}. Its log is empty.` : `${why}. The end of its log:\n${log}` }
}
