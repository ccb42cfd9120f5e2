import { describe, expect, test } from 'vitest'
import { type HubAccess, hubLimits } from '../../src/hub/hub-access.ts'
import { readStart } from '../../src/hub/read-start.ts'
import { Secret } from '../../src/model/secret.ts'
import type { FileMood } from '../support/fake-hub/mood.ts'
import { startFakeHub } from '../support/fake-hub.ts'

const commit = 'a'.repeat(40)
const text = 'a small file'
const large = { bytes: 3_000_000, seed: 'large' }
const repos = { 'org/coder': { at: { main: commit }, files: { 'Q4/it is #1.gguf': large, 'config.json': text } } }
const token = new Secret('hf_s3cret', 'a test')

const access: HubAccess = {
  clock: { now: () => 0, sleep: () => Promise.resolve() },
  signal: new AbortController().signal,
  env: {},
}

async function read(file: string, moods: { readonly resolve?: readonly FileMood[]; readonly cdn?: readonly FileMood[] } = {}) {
  await using hub = await startFakeHub(repos, { token: 'hf_s3cret' })
  hub.behaveFor('resolve', ...(moods.resolve ?? [{}]))
  hub.behaveFor('cdn', ...(moods.cdn ?? [{}]))
  const answer = await readStart({ hub: hub.url, repo: 'org/coder', revision: commit, token }, file, access, {
    ...hubLimits,
    tryMs: 1000,
  })
  return { answer, asked: hub.askedAnywhere }
}

describe('the beginning of a file', () => {
  test('is its first 64 KiB, and only the hub sees the token', async () => {
    const { answer, asked } = await read('Q4/it is #1.gguf')
    expect(answer.ok && answer.value.length).toBe(65_536)
    expect(asked.map(({ server, range, authorization }) => [server, range, authorization])).toEqual([
      ['hub', 'bytes=0-65535', 'Bearer hf_s3cret'],
      ['cdn', 'bytes=0-65535', undefined],
    ])
  })

  test('of a shorter one is all of it', async () => {
    const { answer } = await read('config.json')
    expect(answer).toEqual({ ok: true, value: Buffer.from(text) })
  })

  test('is no more where the range is ignored, and the rest is not read', async () => {
    const { answer, asked } = await read('Q4/it is #1.gguf', { cdn: [{ whole: true, slow: 4_000_000 }] })
    expect(answer.ok && answer.value.length).toBe(65_536)
    expect(asked.at(-1)?.sent).toBeLessThan(large.bytes)
  })

  test('is asked for again where it was cut off or the hub is busy', async () => {
    const { answer } = await read('Q4/it is #1.gguf', {
      resolve: [{ busy: { by: 'ratelimit', seconds: 3 } }, {}],
      cdn: [{ cut: 10_000 }, {}],
    })
    expect(answer.ok && answer.value.length).toBe(65_536)
  })

  test.each<[string, string, string, { readonly resolve?: readonly FileMood[]; readonly cdn?: readonly FileMood[] }]>([
    ['its terms were not accepted', 'gated', 'it answered 403', { resolve: [{ gated: 'terms' }] }],
    ['its terms were accepted, and the token is wrong', 'denied', 'it answered 401', { resolve: [{ gated: 'token' }] }],
    ['it is not shown', 'denied', 'it answered 403', { resolve: [{ status: 403 }] }],
    ['it is missing', 'absent', 'it answered 404', { resolve: [{ status: 404 }] }],
    ['the address it leads to denies it', 'unreadable', 'its redirect target: it answered 403', { cdn: [{ status: 403 }] }],
    ['another part comes', 'unreadable', 'requested range', { cdn: [{ start: 5 }] }],
    ['it leads in circles', 'unreadable', 'it redirects too often', { cdn: [{ redirect: 'loop' }] }],
    [
      'it leads nowhere',
      'unreadable',
      'it redirects to an invalid address',
      { cdn: [{ redirect: { location: 'file:///etc/passwd' } }] },
    ],
    ['nothing comes', 'unreachable', 'no answer within 1 s', { cdn: [{ silent: true }] }],
    ['its end does not come', 'unreachable', 'no answer within 1 s', { cdn: [{ hang: 100 }] }],
  ])('is not known where %s', async (_why, reason, detail, moods) => {
    const { answer } = await read('Q4/it is #1.gguf', moods)
    expect(answer).toEqual({ ok: false, reason, detail: expect.stringContaining(detail) })
  })
})
