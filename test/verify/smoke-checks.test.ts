import { expect, it } from 'vitest'
import type { SmokeRequest, SmokeTest } from '../../src/model/launch.ts'
import type { HttpReply } from '../../src/verify/http-probe.ts'
import { checkModels, checkRequest } from '../../src/verify/smoke-checks.ts'

const smoke: SmokeTest = {
  health: { path: '/health' },
  models: { path: '/v1/models', alias: 'coder' },
  keyCheck: { path: '/props', wrongKeyStatus: 401 },
  readyTimeoutS: 60,
}
const request: SmokeRequest = { kind: 'chat', path: '/v1/chat/completions', body: {}, timeoutS: 60 }

function answer(status: number, json: unknown, retryAfterS?: number): HttpReply {
  const reply = { kind: 'answered', status, body: JSON.stringify(json), json, ms: 1 } as const
  return retryAfterS === undefined ? reply : { ...reply, retryAfterS }
}

it.each([
  [undefined, 2000],
  [0, 1000],
  [0.001, 1000],
  [7, 7000],
  [99_999_999, 60_000],
])('a full queue that asks for a pause of %s s is asked again after %i ms', async (asked, paused) => {
  const slept: number[] = []
  const replies = [
    answer(429, {}, asked),
    answer(200, { choices: [{ message: { content: 'Hi' } }], usage: { completion_tokens: 1 } }),
  ]
  const verdict = await checkRequest(
    async () => replies.shift() ?? answer(500, {}),
    request,
    undefined,
    { look: async () => undefined, during: async (_activity, _ms, work) => work(new AbortController().signal) },
    { now: () => 0, sleep: async (ms) => void slept.push(ms) },
  )
  expect(verdict).toMatchObject({ ok: true })
  expect(slept).toEqual([paused])
})

it('names that a server lists forge no line, and have an end', async () => {
  const data = [
    { id: 'x\nPlan: nothing to change' },
    ...Array.from({ length: 5000 }, (_, index) => ({ id: `${index}`.repeat(200) })),
  ]
  const { ok, detail } = await checkModels(async () => answer(200, { data }), smoke, undefined)
  expect(ok).toBe(false)
  expect(detail).toMatch(/it lists x\\u000aPlan: nothing to change, 0{99}…, /)
  expect(detail).not.toContain('\n')
  expect(detail.length).toBeLessThan(1500)
})
