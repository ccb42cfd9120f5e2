import { describe, expect, test } from 'vitest'
import { getJson } from '../../src/hub/get-json.ts'
import { type HubAccess, hubLimits } from '../../src/hub/hub-access.ts'
import { resolveRevision } from '../../src/hub/resolve-revision.ts'
import { Secret } from '../../src/model/secret.ts'
import { type HubMood, startFakeHub } from '../support/fake-hub.ts'

const main = 'a'.repeat(40)
const repos = { 'org/coder': { at: { main, 'refs/pr/1': 'b'.repeat(40) } }, 'org/renamed': { at: { main } } }

/** Time jumps; what was slept is noted. */
function access(slept: number[] = []): HubAccess {
  const clock = { now: () => 0, sleep: (ms: number) => (slept.push(ms), Promise.resolve()) }
  return { clock, signal: new AbortController().signal, env: {} }
}

describe('the commit of a revision', () => {
  test.each([
    ['main', main],
    ['refs/pr/1', 'b'.repeat(40)],
    [main, main],
  ])('%s', async (revision, commit) => {
    await using hub = await startFakeHub(repos)
    expect(await resolveRevision({ hub: hub.url, repo: 'org/coder', revision }, access())).toEqual({ ok: true, value: commit })
  })

  test.each([
    ['org/none', 'main'],
    ['org/coder', 'gone'],
    ['org/coder', 'c'.repeat(40)],
  ])('%s at %s is missing', async (repo, revision) => {
    await using hub = await startFakeHub(repos)
    expect(await resolveRevision({ hub: hub.url, repo, revision }, access())).toMatchObject({ ok: false, reason: 'absent' })
  })

  test('another commit than the one that was asked for is no answer', async () => {
    await using hub = await startFakeHub({ 'org/coder': { at: { ['d'.repeat(40)]: main } } })
    const answer = await resolveRevision({ hub: hub.url, repo: 'org/coder', revision: 'd'.repeat(40) }, access())
    expect(answer).toMatchObject({ ok: false, reason: 'unreadable' })
  })
})

describe('a hub that does not answer as it should', () => {
  test('is waited for as long as it says', async () => {
    const { answer, slept } = await ask([busy('ratelimit', 55), busy('retry-after', 7), 'well'])
    expect(answer.ok).toBe(true)
    expect(slept).toEqual([55_000, 7000])
  })
  test('is asked again no sooner than in a second, and no later than in a minute', async () => {
    const { slept } = await ask([busy('retry-after', 0), busy('retry-after', 99_999_999), 'well'])
    expect(slept).toEqual([1000, 60_000])
  })
  test('is given up after some tries', async () => {
    const { answer, count } = await ask([{ status: 503 }])
    expect(answer).toEqual({ ok: false, reason: 'unreachable', detail: 'it answered 503' })
    expect(count).toBe(hubLimits.tries)
  })
  test.each<[string, HubMood, string, number]>([
    ['401', { status: 401 }, 'denied', 1],
    ['403', { status: 403 }, 'denied', 1],
    ['400', { status: 400 }, 'unreadable', 1],
    ['a page of a proxy', 'html', 'unreadable', 1],
    ['an answer without end', 'endless', 'unreadable', 1],
    ['a redirect to another host', { location: 'http://localhost:1/steal' }, 'unreadable', 1],
    ['a redirect to another scheme', { location: 'file:///etc/passwd' }, 'unreadable', 1],
    ['a redirect to itself', { location: '/api/models/org/coder/revision/main' }, 'unreadable', 4],
  ])('%s', async (_, mood, reason, count) => {
    const seen = await ask([mood], { bytes: 1_000_000 })
    expect(seen.answer).toMatchObject({ ok: false, reason })
    expect(seen.count).toBe(count)
    expect(JSON.stringify(seen.answer)).not.toContain('secret words')
  })
  test('half an answer', async () => {
    const seen = await ask(['hang'], { tryMs: 300 })
    expect(seen).toMatchObject({ answer: { ok: false, reason: 'unreachable' }, count: 2 })
  })
  test('no server at its address', async () => {
    const answer = await getJson({ hub: 'http://127.0.0.1:1', path: '/' }, access())
    expect(answer).toMatchObject({ reason: 'unreachable', detail: 'nothing listens at its address' })
  })
  test('an interrupt ends the question', async () => {
    await using hub = await startFakeHub(repos)
    hub.behave('hang')
    const stop = new AbortController()
    const asked = getJson({ hub: hub.url, path: '/' }, { ...access(), signal: stop.signal })
    setTimeout(() => stop.abort(), 100)
    await expect(asked).rejects.toThrow('aborted')
  })
})

describe('the token', () => {
  const token = new Secret('hf_s3cret', 'test')
  test('is shown to the hub, also where a repository was renamed', async () => {
    await using hub = await startFakeHub(repos, { token: 'hf_s3cret' })
    hub.behave({ location: '/api/models/org/renamed/revision/main' }, 'well')
    const answer = await resolveRevision({ hub: hub.url, repo: 'org/coder', revision: 'main', token }, access())
    expect(answer).toEqual({ ok: true, value: main })
    expect(hub.asked.map(({ authorization }) => authorization)).toEqual(['Bearer hf_s3cret', 'Bearer hf_s3cret'])
  })
  test('goes to no other host, whatever the hub says', async () => {
    await using other = await startFakeHub(repos)
    await using hub = await startFakeHub(repos)
    hub.behave({ location: `${other.url}/api/models/org/coder/revision/main` })
    const answer = await resolveRevision({ hub: hub.url, repo: 'org/coder', revision: 'main', token }, access())
    expect(answer).toMatchObject({ ok: false, reason: 'unreadable' })
    expect(other.asked).toEqual([])
  })
  test('the proxy of the environment is used', async () => {
    await using proxy = await startFakeHub(repos)
    const env = { http_proxy: proxy.url }
    await resolveRevision({ hub: 'http://hub.example', repo: 'org/coder', revision: 'main' }, { ...access(), env })
    expect(proxy.asked.map(({ path }) => path)).not.toEqual([])
  })
})

async function ask(moods: readonly HubMood[], limits = {}) {
  await using hub = await startFakeHub(repos)
  hub.behave(...moods)
  const slept: number[] = []
  const limited = { ...hubLimits, ...limits }
  const answer = await getJson({ hub: hub.url, path: '/api/models/org/coder/revision/main' }, access(slept), limited)
  return { answer, slept, count: hub.asked.length }
}
function busy(kind: 'retry-after' | 'ratelimit', seconds: number): HubMood {
  return { busy: kind, seconds }
}
