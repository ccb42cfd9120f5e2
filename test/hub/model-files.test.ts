import { describe, expect, test } from 'vitest'
import type { HubAccess } from '../../src/hub/hub-access.ts'
import { listFiles } from '../../src/hub/list-files.ts'
import type { HubFile } from '../../src/model/hub-file.ts'
import { chooseFiles } from '../../src/simulate/fetch/choose-files.ts'
import { type FakeRepo, startFakeHub } from '../support/fake-hub.ts'

const access: HubAccess = {
  clock: { now: () => 0, sleep: () => Promise.resolve() },
  signal: new AbortController().signal,
  env: {},
}
const main = 'a'.repeat(40)

async function list(files: FakeRepo['files'] = {}, page = 1000) {
  await using hub = await startFakeHub({ 'org/coder': { at: { main }, files } }, { page })
  return await listFiles({ hub: hub.url, repo: 'org/coder', revision: main }, access)
}

describe('the files of a repository', () => {
  test.each([1, 2, 3, 1000])('%s at a time', async (page) => {
    const answer = await list({ 'config.json': 700, 'a/model.gguf': 5_000_000, 'b.txt': 0 }, page)
    expect(answer).toMatchObject({
      ok: true,
      value: [
        { path: 'config.json', bytes: 700, digest: { kind: 'git' } },
        { path: 'a/model.gguf', bytes: 5_000_000, digest: { kind: 'sha256' } },
        { path: 'b.txt', bytes: 0, digest: { kind: 'git' } },
      ],
    })
  })
  test('more pages than any repository has', async () => {
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, 1]))
    expect(await list(files, 1)).toMatchObject({ ok: false, reason: 'unreadable', detail: 'its list of files does not end' })
  })

  const sha256 = '0'.repeat(64)
  const oid = '0'.repeat(40)
  test.each<[string, string, object]>([
    ['leads out of its folder', '../../etc/cron.d/x', { size: 1, oid }],
    ['is absolute', '/etc/passwd', { size: 1, oid }],
    ['has an empty part', 'a//b', { size: 1, oid }],
    ['continues on another line', 'a\nb', { size: 1, oid }],
    ['turns the terminal round', 'a\u202Eb', { size: 1, oid }],
    ['has no size', 'a', { oid }],
    ['has a size below nothing', 'a', { size: -1, oid }],
    ['has half a byte', 'a', { size: 0.5, oid }],
    ['has no digest', 'a', { size: 1 }],
    ['has a short digest', 'a', { size: 1, oid: '0'.repeat(39) }],
    ['has two sizes', 'a', { size: 1, oid, lfs: { oid: sha256, size: 2 } }],
    ['is no file', 'a', { type: 'symlink', size: 1, oid }],
  ])('are not believed where one %s', async (_, path, entry) => {
    expect(await list({ 'good.gguf': 1, [path]: entry })).toMatchObject({ ok: false, reason: 'unreadable' })
  })
})

describe('the files of a model', () => {
  const parts = ['c-00002-of-00003.gguf', 'c-00003-of-00003.gguf', 'c-00001-of-00003.gguf']

  test.each<[string, 'A' | 'B', readonly string[], readonly string[], readonly string[] | string]>([
    ['one file', 'A', ['README.md', 'a.gguf'], [], ['a.gguf']],
    ['parts, in their order', 'A', parts, [], parts.toSorted()],
    ['below a folder', 'A', ['Q4/a-00001-of-00001.gguf', 'Q8/a.gguf'], ['*Q4*'], ['Q4/a-00001-of-00001.gguf']],
    ['without the vision projector', 'A', ['a.gguf', 'mmproj-F16.gguf'], [], ['a.gguf']],
    ['a directory', 'B', ['config.json', 'b.safetensors'], [], ['b.safetensors', 'config.json']],
    ['a part is missing', 'A', parts.slice(1), [], 'of the 3 parts of c, 2 match'],
    ['a part of another set', 'A', [...parts.slice(1), 'c-00001-of-00002.gguf'], [], 'of the 2 parts of c, 3 match'],
    ['two models', 'A', ['a-Q4.gguf', 'a-Q8.gguf'], [], '2 models match: a-Q4.gguf, a-Q8.gguf. Narrow `files` to one'],
    ['a glob that matches nothing', 'A', ['a.gguf'], ['a*', '*Q4*'], 'no file matches `*Q4*`'],
    ['nothing that a kind A could load', 'A', ['a.safetensors'], [], 'no matching file is a GGUF file'],
    ['an empty repository', 'B', [], [], 'it has no files'],
  ])('%s', (_, kind, paths, wanted, expected) => {
    const chosen = chooseFiles(kind, listed(...paths), wanted)
    expect(typeof chosen === 'string' ? chosen : chosen.map(({ path }) => path)).toEqual(expected)
  })
})

function listed(...paths: readonly string[]): readonly HubFile[] {
  return paths.map((path) => ({ path, bytes: 1, digest: { kind: 'git', hex: '0'.repeat(40) } }))
}
