import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { known, unknown } from '../../src/model/observed.ts'
import { question } from '../facts/question-with.ts'
import { absolute, type ProbeRun, runProbe } from './probe-run.ts'

/** macOS's own tools as they print; what POSIX fixes is this machine's. */
const tools = join(import.meta.dirname, '../fixtures/facts/macos-tools')
const ordinary = ['awk', 'base64', 'cat', 'date', 'dd', 'df', 'grep', 'ls', 'sed', 'shasum', 'sleep', 'tr']

let folder: string
let path: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'converge-mac-'))
  path = join(folder, 'bin')
  await mkdir(path)
  for (const tool of await readdir(tools)) await symlink(join(tools, tool), join(path, tool))
  for (const tool of ordinary) await symlink(await absolute(tool), join(path, tool))
  await mkdir(join(folder, 'Library/LaunchAgents'), { recursive: true })
  const plist =
    '<plist>\n<!-- converge: managed com.example.coder -->\n<string>--api-key</string>\n<string>SECRET-in-a-plist</string>\n</plist>\n'
  await writeFile(join(folder, 'Library/LaunchAgents/com.example.coder.plist'), plist)
  await writeFile(join(folder, 'm.gguf'), Buffer.alloc(1000))
  await writeFile(
    join(folder, 'Library/LaunchAgents/com.example.binary.plist'),
    Buffer.from('bplist00\u0001\u0002SECRET', 'latin1'),
  )
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const agents = ['coder', 'binary', 'gone'].map((name) => `@home/Library/LaunchAgents/com.example.${name}.plist`)
const [coder = '', binary = '', gone = ''] = agents

describe.each([[['bash', '--posix']], [['dash']]])("the probe on a Mac's tools, in %j", (shell) => {
  let run: ProbeRun

  beforeAll(async () => {
    const programs = [{ path: '/opt/kindb/serve', kind: 'B', interpreter: '/usr/bin/python3' } as const]
    run = await runProbe(
      { shell, path },
      question({ definitions: agents, keyFiles: [coder], programs, disks: ['@root/'], models: ['@home/m.gguf'] }),
      folder,
    )
  })

  it('knows the system, the console and the memory', () => {
    const { platform, layout, memory, systemd } = run.facts
    expect(platform).toMatchObject(
      known({ os: 'macos', distribution: 'macOS 26.3', bootId: '11111111-2222-3333-4444-555555555555' }),
    )
    const root = join(folder, '.config/converge')
    expect(layout).toEqual(known({ user: 'root', home: folder, effectiveUid: 501, root, consoleUser: 'op' }))
    const reserved = 300_000 + 350_000 + 1_800_000 - 40_000
    expect(memory).toEqual(
      known({ totalBytes: 68_719_476_736, availableBytes: (4_194_304 - reserved) * 16_384, wiredBytes: 300_000 * 16_384 }),
    )
    expect(systemd).toEqual(known({ version: null, units: {} }))
  })

  it('sees ports that lsof may not show', () => {
    expect(run.facts.listeners).toEqual(
      known([
        { address: '0.0.0.0', port: 7000, pid: known(646), process: 'ControlCenter' },
        { address: '127.0.0.1', port: 9990, pid: known(4242), process: 'llama-server' },
        { address: '::', port: 5900, pid: known(911), process: 'screen sharing d' },
      ]),
    )
  })

  it('sees servers, the engine of one, and no editor', () => {
    const { residents } = run.facts
    const rows = residents.known
      ? residents.value.map(({ pid, role, program, port, start }) => [pid, role, program, port, start])
      : []
    expect(rows).toEqual([
      [4242, 'A', 'llama-server', 9990, 'Thu Nov 12 10:11:12 2026'],
      [4300, 'runner', 'LM Studio', undefined, 'Thu Nov 12 10:11:13 2026'],
      [4400, 'B', 'serve', 9997, 'Thu Nov 12 10:11:14 2026'],
      [4401, 'engine', 'engine', undefined, 'Thu Nov 12 10:11:15 2026'],
    ])
  })

  it('reports when they started, from their age and the clock of the host', () => {
    const { residents } = run.facts
    const rows = residents.known ? residents.value : []
    expect(rows.map(({ startedAt = 0, seenAt = 0 }) => seenAt - startedAt)).toEqual([93_784, 7384, 184, 5])
    for (const { seenAt = 0 } of rows) expect(Math.abs(seenAt - Date.now() / 1000)).toBeLessThan(60)
  })

  it('sees the agents of the fleet, loaded or not', () => {
    const running = { label: 'com.example.coder', pid: 4242, lastExit: null, state: 'running', runs: 3 }
    const loaded = {
      path: '/Users/op/Library/LaunchAgents/com.example.coder.plist',
      arguments: ['/opt/homebrew/bin/llama-server', '--api-key', '***'],
      environment: { CTX: '16384', LLAMA_API_KEY: '***' },
    }
    // One of its arguments has lines that would end this job and begin another.
    const idle = { label: 'com.example.idle', pid: null, lastExit: 0, state: 'not running', runs: 1, arguments: ['/opt/ä'] }
    expect(run.facts.launchd).toEqual(
      known({
        agents: { 'com.example.coder': { ...running, ...loaded }, 'com.example.idle': idle },
        disabled: known(['com.example.old']),
        managerName: known('Background'),
        marked: ['com.example.coder'],
      }),
    )
  })

  it('reads property lists of both formats, without their keys', () => {
    const { definitions, keyFiles, disks } = run.facts
    expect(definitions[coder]).toMatchObject(
      known({ mark: 'com.example.coder', content: expect.stringContaining('<string>***</string>') }),
    )
    expect(definitions[binary]).toMatchObject(known({ mark: null, content: expect.stringContaining('<string>***</string>') }))
    expect(definitions[gone]).toEqual(known(null))
    expect(keyFiles[coder]).toMatchObject(known({ saltedDigest: expect.stringMatching(/^[0-9a-f]{64}$/) }))
    expect(disks['@root/']).toMatchObject(known({ mount: expect.stringMatching(/^\//) }))
  })

  it('reads a model, and says that its page cache cannot be measured here', () => {
    const model = join(folder, 'm.gguf')
    expect(run.facts.models['@home/m.gguf']).toMatchObject(
      known({
        path: model,
        files: [{ path: model, bytes: 1000 }],
        missing: [],
        cachedBytes: unknown('no-such-tool', 'fincore is not installed'),
      }),
    )
  })

  it('sends no secret', () => {
    expect(`${run.stdout}${run.stderr}`).not.toContain('SECRET')
  })
})
