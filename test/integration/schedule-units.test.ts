import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { schedulers } from '../../src/schedulers/index.ts'
import { jobWith, op } from '../schedulers/job-with.ts'

describe('units as systemd reads them', () => {
  it.each([
    ['by the calendar', 3600],
    ['from start to start', 7 * 3600],
  ])('are taken without a word, %s', async (_, everyS) => {
    const folder = await mkdtemp(join(tmpdir(), 'units '))
    const job = jobWith({
      everyS,
      program: [process.execPath, '/opt/converge/main.js'],
      args: ['--limit', "it's 100% $HOME `x` \\ !"],
      cwd: folder,
    })
    const paths = schedulers.systemd
      .entry(job, op)
      .files.map(({ path, content }) => ({ path: join(folder, basename(path)), content }))
    for (const { path, content } of paths) await writeFile(path, content)
    const words = ['verify', '--man=no', '--recursive-errors=no', ...paths.map(({ path }) => path)]
    const { exitCode, all } = await execa('systemd-analyze', words, { reject: false, all: true })
    await rm(folder, { recursive: true, force: true })
    expect({ exitCode, all }).toEqual({ exitCode: 0, all: '' })
  })
})
