import { execFileSync, spawn } from 'node:child_process'
import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

function hosts(file: string): void {
  const args = ['src/main.ts', 'hosts', '-i', 'inventories/home', '--format', `json=${file}`]
  execFileSync(process.execPath, args, { cwd: root, env: { PATH: process.env['PATH'] } })
}

describe('--format FORMAT=FILE', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'converge-format-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('replaces a file as a whole', () => {
    const file = join(folder, 'hosts.json')
    writeFileSync(file, 'x'.repeat(100_000))
    hosts(file)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ schema: 'converge/hosts/v1' })
  })

  it('writes into a pipe, and leaves it one', async () => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const reader = spawn('cat', [pipe])
    const said: Buffer[] = []
    reader.stdout.on('data', (chunk: Buffer) => said.push(chunk))
    const ended = new Promise((resolve) => reader.once('close', resolve))
    hosts(pipe)
    await ended
    expect(JSON.parse(Buffer.concat(said).toString())).toMatchObject({ schema: 'converge/hosts/v1' })
    expect(lstatSync(pipe).isFIFO()).toBe(true)
  })

  it('follows a link to its file', () => {
    const file = join(folder, 'real.json')
    writeFileSync(file, '')
    symlinkSync(file, join(folder, 'link.json'))
    hosts(join(folder, 'link.json'))
    expect(lstatSync(join(folder, 'link.json')).isSymbolicLink()).toBe(true)
    expect(readFileSync(file, 'utf8')).toContain('converge/hosts/v1')
  })
})
