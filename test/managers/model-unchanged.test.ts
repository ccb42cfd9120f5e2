import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { modelUnchanged } from '../../src/managers/model-unchanged.ts'
import type { Action } from '../../src/model/action.ts'
import type { ModelFiles, ModelPart } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import { known, unknown } from '../../src/model/observed.ts'

function checksFor(files: readonly ModelPart[], starts = true, type: ModelFiles['type'] = 'file') {
  const path = files[0]?.path ?? ''
  const header = unknown('not-gathered')
  const model = { path, type, files, shards: 2, missing: [], unfinished: [], header, cachedBytes: header }
  const action: Pick<Action, 'starts'> = { starts }
  const service: Pick<Service, 'model'> = { model: { path } }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what it looks at is there
  return modelUnchanged(action as Action, service as Service, { models: { [path]: known(model) } }, 'linux')
}

function ask(files: readonly ModelPart[]) {
  const [check] = checksFor(files)
  const { status, stdout } = spawnSync('/bin/sh', ['-c', check?.script ?? 'exit 99', 'sh', ...(check?.args ?? [])], {
    encoding: 'utf8',
  })
  return { status, stdout }
}

describe('whether the model files have not changed since the plan was made', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'model-'))
    for (const name of ['a b-00001-of-00002.gguf', 'a b-00002-of-00002.gguf']) writeFileSync(join(folder, name), 'weights')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const paths = () => ['a b-00001-of-00002.gguf', 'a b-00002-of-00002.gguf'].map((name) => join(folder, name))
  const asSeen = (): readonly ModelPart[] =>
    paths().map((path) => {
      const { size, mtimeMs } = statSync(path)
      return { path, bytes: size, modified: Math.floor(mtimeMs / 1000) }
    })
  it('holds while they are untouched', () => expect(ask(asSeen())).toEqual({ status: 0, stdout: '' }))

  it.each([
    ['another size', (path: string) => writeFileSync(path, 'other weights')],
    ['another time', (path: string) => utimesSync(path, 1_790_000_000, 1_790_000_000)],
  ])('does not hold where the last part has %s', (_, change) => {
    const seen = asSeen()
    change(paths()[1] ?? '')
    const { status, stdout } = ask(seen)
    expect(status).toBe(1)
    expect(stdout).toContain('a b-00002-of-00002.gguf: its size and time are now')
  })

  it('does not hold where a part is gone', () => {
    const seen = asSeen()
    rmSync(paths()[0] ?? '')
    expect(ask(seen).status).toBe(1)
  })

  it.each([
    ['for what starts nothing', () => checksFor(asSeen(), false)],
    ['for a folder', () => checksFor(asSeen(), true, 'directory')],
    ['without the times', () => checksFor(paths().map((path) => ({ path, bytes: 7 })))],
  ])('is not asked %s', (_, checks) => expect(checks()).toEqual([]))
})
