import { describe, expect, it } from 'vitest'
import { serverKinds } from '../../src/servers/index.ts'
import { tokenRate } from '../../src/servers/token-rate.ts'

const slot = (id: number, task: number, decoded: unknown, busy = true) => ({
  id,
  id_task: task,
  is_processing: busy,
  next_token: [{ n_decoded: decoded }],
})

function load(json: unknown) {
  return serverKinds.A.http.requests.load?.(json)
}

describe('what a Kind A works on', () => {
  it('is read from its slots, in either form', () => {
    const older = { id: 1, id_task: 5, is_processing: false, next_token: { n_decoded: 30 } }
    const written = [
      { request: '0/7', tokens: 12 },
      { request: '1/5', tokens: 30 },
    ]
    expect(load([slot(0, 7, 12), older])).toEqual({ busy: 1, slots: 2, written })
  })

  it.each([[{}], ['slots'], [null], [{ error: { code: 501 } }]])('is unknown from %j', (json) => {
    expect(load(json)).toBeUndefined()
  })

  it('has no tokens where they are no counts', () => {
    expect(load([slot(0, 7, -1), slot(1, 7, 1e300), slot(2, 7, 'x'), 5])).toEqual({ busy: 3, slots: 4, written: [] })
  })
})

it('what a Kind B works on is in its health', () => {
  const scheduler = { active: 1, queued: 2, capacity: 4, completed: 9 }
  expect(serverKinds.B.http.requests.load?.({ scheduler })).toEqual({ busy: 3, slots: 4 })
  expect(serverKinds.B.http.requests.load?.({ status: 'ok' })).toBeUndefined()
})

function at(ms: number, ...written: readonly (readonly [string, number])[]) {
  return { at: ms, load: { busy: 1, slots: 4, written: written.map(([request, tokens]) => ({ request, tokens })) } }
}

describe('tokens per second', () => {
  it.each([
    ['of one request', at(0, ['0/7', 10]), at(2000, ['0/7', 90]), 40],
    ['of several, one of them new', at(0, ['0/7', 10]), at(2000, ['0/7', 30], ['1/8', 20]), 20],
    ['are none while nothing is written', at(0, ['0/7', 10]), at(2000, ['0/7', 10]), 0],
    ['do not run backwards', at(0, ['0/7', 10]), at(2000, ['0/7', 4]), 0],
    ['are unknown at first', undefined, at(2000, ['0/7', 10]), null],
    ['are unknown where no time has passed', at(5, ['0/7', 10]), at(5, ['0/7', 20]), null],
    [
      'are unknown of a server that reports none',
      { at: 0, load: { busy: 1, slots: 1 } },
      { at: 9, load: { busy: 1, slots: 1 } },
      null,
    ],
  ])('%s', (_, before, now, rate) => expect(tokenRate(before, now)).toBe(rate))
})
