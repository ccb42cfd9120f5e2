import { spawnSync } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { watchOutput } from '../../src/cli/watch-output.ts'
import { program } from '../support/program.ts'

const failure = (code: string) => Object.assign(new Error(code), { code })
const root = join(import.meta.dirname, '../..')

/** `/dev/full` has no room, as a disk that is full. */
function converge(args: readonly string[], full: 'stdout' | 'stderr') {
  const device = openSync('/dev/full', 'w')
  const stdio = full === 'stdout' ? (['ignore', device, 'pipe'] as const) : (['ignore', 'pipe', device] as const)
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', CONVERGE_STATE_DIR: '/dev/null/state', NO_COLOR: '1' }
  try {
    return spawnSync(process.execPath, [program, ...args], { cwd: root, env, stdio: [...stdio], encoding: 'utf8' })
  } finally {
    closeSync(device)
  }
}

describe('output that cannot be written', () => {
  it('is no exception, and of stdout it is known afterwards, but for a reader that has read enough', async () => {
    const [stdout, stderr] = [new EventEmitter(), new EventEmitter()]
    const output = watchOutput({ stdout, stderr })
    stderr.emit('error', failure('ENOSPC'))
    for (const code of ['EPIPE', 'EIO']) stdout.emit('error', failure(code))
    expect(await output.lost()).toBeUndefined()
    stdout.emit('error', failure('ENOSPC'))
    expect(await output.lost()).toMatchObject({ code: 'ENOSPC' })
  })

  it('on stdout is said and is no success', () => {
    const { status, stderr } = converge(['validate', '-i', 'inventories/home', '--json'], 'stdout')
    expect(stderr).toContain('USAGE.OUTPUT_FILE')
    expect(stderr).toContain('no room')
    expect(status).toBe(64)
  })

  it('on stderr changes nothing about the result', () => {
    const { status, stdout } = converge(['validate', '-i', 'inventories/home', '--json'], 'stderr')
    expect(JSON.parse(stdout)).toMatchObject({ schema: expect.stringContaining('converge/') })
    expect(status).toBe(0)
  })
})
