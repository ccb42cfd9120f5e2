import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { program } from '../support/program.ts'

describe('what Node compiles', () => {
  let place: string
  beforeEach(async () => {
    place = await mkdtemp(join(tmpdir(), 'compiled-'))
    await Promise.all(['tmp', 'caches'].map((name) => mkdir(join(place, name))))
  })
  afterEach(() => rm(place, { recursive: true }))

  const run = () =>
    execa(process.execPath, [program, '--help'], {
      env: { PATH: process.env['PATH'], TMPDIR: join(place, 'tmp'), XDG_CACHE_HOME: join(place, 'caches') },
      extendEnv: false,
    })

  it('is kept in a folder of the user alone, and never in the temporary one', async () => {
    await run()
    expect(await readdir(join(place, 'tmp'))).toEqual([])
    expect(await readdir(join(place, 'caches/converge'))).toHaveLength(1)
  })

  it('is not kept where others may write', async () => {
    await mkdir(join(place, 'caches/converge'))
    await chmod(join(place, 'caches/converge'), 0o777)
    await run()
    expect(await readdir(join(place, 'caches/converge'))).toEqual([])
  })
})
