import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { convergeHere } from '../support/converge-here.ts'
import { program } from '../support/program.ts'

const root = join(import.meta.dirname, '../..')

async function hosts(file: string): Promise<void> {
  const args = ['hosts', '-i', 'inventories/home', '--format', `json=${file}`]
  expect(await convergeHere(args, { cwd: root, env: { PATH: process.env['PATH'] } })).toMatchObject({ code: 0 })
}

function pipeIn(folder: string): string {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  return pipe
}

describe('--format FORMAT=FILE', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'converge-format-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('replaces a file as a whole', async () => {
    const file = join(folder, 'hosts.json')
    writeFileSync(file, 'x'.repeat(100_000))
    await hosts(file)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ schema: 'converge/hosts/v1' })
  })

  it('writes into a pipe, and leaves it one', async () => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const reader = spawn('cat', [pipe])
    const said: Buffer[] = []
    reader.stdout.on('data', (chunk: Buffer) => said.push(chunk))
    const ended = new Promise((resolve) => reader.once('close', resolve))
    await hosts(pipe)
    await ended
    expect(JSON.parse(Buffer.concat(said).toString())).toMatchObject({ schema: 'converge/hosts/v1' })
    expect(lstatSync(pipe).isFIFO()).toBe(true)
  })

  it.each([
    ['a pipe without a reader', () => pipeIn(folder), 'it is a named pipe without a reader'],
    ['a folder', () => folder, 'it is a folder'],
    ['stdout', () => '/dev/stdout', '`--format FORMAT` without a file'],
  ])('says of %s that nothing can be written there, and does not wait for ever', (_what, file, says) => {
    const args = [program, 'hosts', '-i', 'inventories/home', '--format', `json=${file()}`]
    // Ended the hard way: a wait for a reader hears no other signal.
    const { status, stderr } = spawnSync(process.execPath, args, {
      cwd: root,
      env: { PATH: process.env['PATH'] },
      timeout: 100_000,
      killSignal: 'SIGKILL',
      encoding: 'utf8',
    })
    expect(stderr).toContain('USAGE.OUTPUT_FILE')
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(says)
    expect(status).toBe(64)
  })

  it('follows a link to its file', async () => {
    const file = join(folder, 'real.json')
    writeFileSync(file, '')
    symlinkSync(file, join(folder, 'link.json'))
    await hosts(join(folder, 'link.json'))
    expect(lstatSync(join(folder, 'link.json')).isSymbolicLink()).toBe(true)
    expect(readFileSync(file, 'utf8')).toContain('converge/hosts/v1')
  })
})
