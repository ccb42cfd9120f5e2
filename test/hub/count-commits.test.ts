import { describe, expect, test } from 'vitest'
import { countCommits } from '../../src/hub/count-commits.ts'
import type { HubAccess } from '../../src/hub/hub-access.ts'
import { startFakeHub } from '../support/fake-hub.ts'

const id = (letter: string) => letter.repeat(40)
const history = ['e', 'd', 'c', 'b', 'a'].map(id)
const repos = { 'org/coder': { at: { main: id('e'), v1: id('c') }, history } }

const access: HubAccess = {
  clock: { now: () => 0, sleep: () => Promise.resolve() },
  signal: new AbortController().signal,
  env: {},
}

async function count(revision: string, since: string, page = 1000) {
  await using hub = await startFakeHub(repos, { page })
  const answer = await countCommits({ hub: hub.url, repo: 'org/coder', revision }, since, access)
  return { answer, asked: hub.asked.length }
}

describe('how far a revision is ahead of an earlier commit', () => {
  test.each([
    ['main', id('e'), 0],
    ['main', id('d'), 1],
    ['main', id('a'), 4],
    ['v1', id('a'), 2],
  ])('%s of %s', async (revision, since, commits) => {
    expect((await count(revision, since)).answer).toEqual({ ok: true, value: commits })
  })

  test('is counted over pages, and no further than a few', async () => {
    expect(await count('main', id('a'), 2)).toEqual({ answer: { ok: true, value: 4 }, asked: 3 })
    expect(await count('main', id('a'), 1)).toEqual({ answer: { ok: true, value: null }, asked: 4 })
  })

  test('is not known of a commit on another branch', async () => {
    expect((await count('v1', id('d'))).answer).toEqual({ ok: true, value: null })
  })
})
