import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { SmokeRequest, SmokeTest } from '../../src/model/launch.ts'
import type { LifeSign } from '../../src/model/life-sign.ts'
import type { RequestKind, SmokeKind } from '../../src/model/names.ts'
import type { SmokeCheck } from '../../src/model/report.ts'
import { Secret } from '../../src/model/secret.ts'
import { type Clock, systemClock } from '../../src/time/clock.ts'
import { smokeTest } from '../../src/verify/smoke.ts'
import type { SmokeDeps, Verdict } from '../../src/verify/smoke-deps.ts'
import { type Behaviour, type ModelServer, startKindA, startKindB } from '../support/model-servers.ts'
import { shTransport } from '../support/sh-transport.ts'

interface SmokeCase {
  readonly name: string
  readonly server: Behaviour & { readonly kind: 'A' | 'B' | 'none' }
  /** Default: the server's own; null: the service has none. */
  readonly key?: string | null
  readonly alias?: string
  readonly level?: 'health' | 'smoke'
  /** Default: a chat. */
  readonly asks?: SmokeKind
  /** Ready once it was reported as loading. */
  readonly becomesReady?: boolean
  /** What is being waited for when the interrupt comes. */
  readonly interruptAt?: 'health' | 'completion' | 'client'
  readonly readyTimeoutS?: number
  readonly completionTimeoutS?: number
  readonly life?: readonly LifeSign[]
  readonly coRun?: Verdict
  readonly portOwner?: Verdict
  readonly reload?: readonly string[]
  readonly checks: Readonly<Record<string, 'ok' | 'failed' | 'skipped'>>
  readonly says?: string
  /** Default: whether nothing failed. */
  readonly proved?: boolean
  readonly never?: string
  readonly notes?: string
}

const cases: readonly SmokeCase[] = parse(readFileSync(new URL('../fixtures/verify/smoke.yaml', import.meta.url), 'utf8'))

describe('a smoke test of', () => {
  it.each(cases)('$name', async (smokeCase) => {
    await using stack = new AsyncDisposableStack()
    const server = await startServer(smokeCase.server)
    if (smokeCase.server.kind === 'none') await server[Symbol.asyncDispose]()
    else stack.use(server)
    const transport = stack.use(await shTransport())
    const notes: string[] = []
    const started = Date.now()
    const service = { name: 'coder', host: 'here', port: server.port }
    const deps = depsOf(smokeCase, server, transport, notes)
    stack.defer(interruptedAt(smokeCase, server, deps.interrupt))
    const result = await smokeTest(service, smokeOf(smokeCase), deps)
    expect(Object.fromEntries(result.checks.map((check) => [check.name, outcomeOf(check)]))).toEqual(smokeCase.checks)
    expect(result.ok).toBe(smokeCase.proved ?? !Object.values(smokeCase.checks).includes('failed'))
    expect(result.checks.map((check) => `${check.detail}${check.skipped ?? ''}`).join('\n')).toContain(smokeCase.says ?? '')
    expect(notes.join('\n')).toContain(smokeCase.notes ?? '')
    expect(server.answered.join('\n')).not.toContain(smokeCase.never ?? 'nothing is forbidden')
    expect(server.mostWhileLoading()).toBeLessThanOrEqual(1)
    expect(Date.now() - started).toBeLessThan(20_000)
    expect(JSON.stringify(result)).not.toContain('"right"')
  })
})

function outcomeOf({ ok, skipped }: SmokeCheck): string {
  if (skipped !== undefined) return 'skipped'
  return ok ? 'ok' : 'failed'
}

function startServer({ kind, ...behaviour }: SmokeCase['server']): Promise<ModelServer> {
  const named = kind === 'B' ? { alias: 'coder', ...behaviour } : behaviour
  return kind === 'B' ? startKindB(named) : startKindA(named)
}

function smokeOf(smokeCase: SmokeCase): SmokeTest {
  const kindB = smokeCase.server.kind === 'B'
  return {
    health: { path: '/health' },
    models: { path: '/v1/models', alias: smokeCase.alias ?? 'coder' },
    keyCheck: { path: kindB ? '/v1/models' : '/props', wrongKeyStatus: 401 },
    ...(smokeCase.asks === 'none' ? {} : { request: requestOf(smokeCase, smokeCase.asks ?? 'chat') }),
    readyTimeoutS: smokeCase.readyTimeoutS ?? 120,
  }
}

const requests = {
  chat: { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 } },
  embedding: { path: '/v1/embeddings', body: { input: ['Hi'] } },
  rerank: { path: '/v1/rerank', body: { query: 'Hi', documents: ['Hello', 'Goodbye'] } },
} as const

function requestOf({ completionTimeoutS }: SmokeCase, kind: RequestKind): SmokeRequest {
  const { path, body } = requests[kind]
  return { kind, path, body: { model: 'coder', ...body }, timeoutS: completionTimeoutS ?? 60 }
}

/** @returns what ends the watching */
function interruptedAt({ interruptAt }: SmokeCase, server: ModelServer, interrupt: AbortController): () => void {
  const reached = {
    health: () => server.mostWhileLoading() > 0,
    completion: () => server.answered.includes('POST /v1/chat/completions'),
  }
  if (interruptAt === undefined || interruptAt === 'client') return () => undefined
  const timer = setInterval(() => reached[interruptAt]() && interrupt.abort(), 5)
  return () => clearInterval(timer)
}

function depsOf(
  smokeCase: SmokeCase,
  server: ModelServer,
  transport: SmokeDeps['transport'],
  notes: string[],
): SmokeDeps & { readonly interrupt: AbortController } {
  const interrupt = new AbortController()
  const signs = [...(smokeCase.life ?? [{ state: 'alive' as const, detail: 'running' }])]
  const key = smokeCase.key === undefined ? smokeCase.server.key : smokeCase.key
  const fine: Verdict = { ok: true, detail: 'as it should be' }
  return {
    transport,
    level: smokeCase.level ?? 'smoke',
    clock: fastClock(50),
    interrupt,
    signal: interrupt.signal,
    note: (text) => {
      notes.push(text)
      if (smokeCase.becomesReady === true) server.becomeReady()
    },
    coRun: async () => smokeCase.coRun ?? fine,
    portOwner: async () => {
      // The client is next.
      if (smokeCase.interruptAt === 'client') setTimeout(() => interrupt.abort(), 200)
      return smokeCase.portOwner ?? fine
    },
    alive: async () => (signs.length > 1 ? signs.shift() : signs[0]) ?? { state: 'unknown', detail: '' },
    lastLog: async () => 'error: no such model\n',
    ...(typeof key === 'string' ? { key: new Secret(key, 'a test') } : {}),
    ...(smokeCase.reload === undefined ? {} : { reload: smokeCase.reload }),
  }
}

function fastClock(speed: number): Clock {
  const start = performance.now()
  return {
    now: () => (performance.now() - start) * speed,
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
  }
}
