import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { build } from 'plist'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Mac, startMac } from '../../simulation/mac/mac.ts'

// The tools around launchd; as in simulated-mac.test.ts, each of these was seen on real Macs.
const domain = 'gui/501'

let mac: Mac
let list: string

beforeAll(async () => {
  mac = await startMac({ pace: 40 })
  list = join(mac.home, 'Library/LaunchAgents/com.example.sleeper.plist')
  const program = [
    '/usr/bin/perl',
    '-MIO::Socket::INET',
    '-e',
    'my $open = IO::Socket::INET->new(Listen => 1, LocalPort => 9970); sleep 300',
  ]
  await writeFile(list, build({ Label: 'com.example.sleeper', ProgramArguments: program, RunAtLoad: true }), { mode: 0o644 })
})

afterAll(() => mac[Symbol.asyncDispose]())

async function run(...words: readonly string[]): Promise<{ readonly code: number | undefined; readonly out: string }> {
  const [tool = '', ...rest] = words
  const options = { env: { ...mac.environment }, extendEnv: false, reject: false, preferLocal: false } as const
  const { exitCode, stdout } = await execa(tool, rest, options)
  return { code: exitCode, out: stdout }
}

describe('plutil', () => {
  it('shows a binary property list as the XML it stands for', async () => {
    const binary = join(mac.home, 'binary.plist')
    expect(await run('plutil', '-convert', 'binary1', '-o', binary, list)).toEqual({ code: 0, out: '' })
    expect(await readFile(binary, 'utf8')).toMatch(/^bplist/)
    expect((await run('plutil', '-convert', 'xml1', '-o', '-', binary)).out).toContain('<string>com.example.sleeper</string>')
  })

  it('rejects an invalid one, and accepts a valid one', async () => {
    const broken = join(mac.home, 'broken.plist')
    await writeFile(broken, '<plist version="1.0"><dict></plist>')
    expect((await run('plutil', '-lint', broken)).code).toBe(1)
    expect(await run('plutil', '-lint', list)).toEqual({ code: 0, out: `${list}: OK` })
  })
})

describe('what looks at processes and files', () => {
  it('prints the requested fields of a socket, and the file', async () => {
    expect((await run('launchctl', 'bootstrap', domain, list)).code).toBe(0)
    const asked = () => run('lsof', '-nP', '-iTCP:9970', '-sTCP:LISTEN', '-Fpcn')
    await expect.poll(async () => (await asked()).code).toBe(0)
    expect((await asked()).out.split('\n').map(([letter]) => letter)).toEqual(['p', 'c', 'f', 'n'])
  })

  it('prints the whole path of a program, also of those on every Mac', async () => {
    expect((await run('ps', '-axww', '-o', 'pid=,comm=')).out.split('\n').slice(0, 2)).toEqual([
      '    1 /sbin/launchd',
      '  412 /System/Library/CoreServices/loginwindow.app/Contents/MacOS/loginwindow',
    ])
  })

  it('prints the permissions of a file, and no higher bits', async () => {
    await chmod(list, 0o4644)
    expect((await run('stat', '-L', '-f', '%Lp', list)).out).toBe('644')
  })
})
