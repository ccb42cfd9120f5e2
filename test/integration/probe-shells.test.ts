import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, statfs } from 'node:fs/promises'
import { freemem, hostname, release, tmpdir, totalmem, type } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { probeName } from '../../src/facts/probe-frame.ts'
import type { FactQuestion } from '../../src/facts/question.ts'
import { known, unknown } from '../../src/model/observed.ts'
import { question } from '../facts/question-with.ts'
import { type ProbeRun, runProbe, type ShellSetting, shellSettings } from './probe-run.ts'
import { type Scene, secrets, setScene, stampOf } from './probe-scene.ts'

const salt = '5a17c0de'
let scene: Scene
let tools: string
let settings: Readonly<Record<string, ShellSetting>>

beforeAll(async () => {
  tools = await mkdtemp(join(tmpdir(), 'converge-tools-'))
  settings = await shellSettings(tools)
  scene = await setScene()
})

afterAll(async () => {
  await scene[Symbol.asyncDispose]()
  await rm(tools, { recursive: true, force: true })
})

function settingOf(name: string): ShellSetting {
  const setting = settings[name]
  if (setting === undefined) throw new Error(`no shell ${name}`)
  return setting
}

function asked(more: Partial<FactQuestion> = {}): FactQuestion {
  const { folder, root } = scene
  return question({
    platform: 'linux',
    // The scene is the home of the account.
    convergeDir: `~/${basename(root)}`,
    salt,
    definitions: ['@root/coder/compose.yaml', '@root/none.yaml', '@home/none.plist'],
    keyFiles: ['@root/coder/key', '@root/no-key'],
    models: [`${folder}/models/my mödel-00001-of-00003.gguf`, `${folder}/kindb`, `${folder}/none.gguf`],
    executables: [`${folder}/bin/llama-server`, process.execPath, `${folder}/kindb/serve`, `${folder}/bin/none`],
    programs: [
      { path: `${folder}/bin/llama-server`, kind: 'A' },
      { path: `${folder}/kindb/serve`, kind: 'B', interpreter: process.execPath },
    ],
    disks: ['@root/', `${folder}/not/there/yet`],
    environment: [
      { name: 'SRV_MODEL', secret: false },
      { name: 'CTX', secret: false },
      { name: 'SRV_API_KEY', secret: true },
    ],
    ...more,
  })
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

function startOf(pid: number | undefined): string | undefined {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return line.slice(line.lastIndexOf(')') + 2).split(' ')[19]
}

/** Every file below a folder with its size and time of change. */
async function listing(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true })
  const rows = await Promise.all(names.map(async (name) => [name, await stat(join(folder, name))] as const))
  return rows.map(([name, { size, mtimeMs }]) => `${name} ${size} ${mtimeMs}`).toSorted()
}

describe.each(['dash', 'bash', 'busybox', 'old busybox'])('the probe in %s reports facts', (shell) => {
  let run: ProbeRun
  let before: readonly string[]
  let free: number[]

  beforeAll(async () => {
    before = await listing(scene.folder)
    free = [freemem()]
    run = await runProbe(settingOf(shell), asked(), scene.folder)
    free.push(freemem())
  })

  it('system and account', () => {
    const { platform, layout } = run.facts
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    expect(platform).toMatchObject(known({ os: 'linux', kernel: `${type()} ${release()}`, hostname: hostname(), bootId }))
    expect(layout).toEqual(known({ user: 'root', home: scene.folder, effectiveUid: process.getuid?.(), root: scene.root }))
  })

  it('memory', () => {
    const { memory } = run.facts
    expect(memory).toMatchObject(known({ totalBytes: totalmem() }))
    const available = memory.known ? memory.value.availableBytes : Number.NaN
    // Others on this machine take and free memory meanwhile.
    expect(available).toBeGreaterThan(Math.min(...free) - 1024 ** 3)
    expect(available).toBeLessThan(Math.max(...free) + 1024 ** 3)
  })

  it('listeners with their processes, on both address families', () => {
    const { listeners } = run.facts
    const mine = listeners.known ? listeners.value.filter(({ port }) => Object.values(scene.ports).includes(port)) : []
    expect(mine).toMatchObject([
      { address: '127.0.0.1', port: scene.ports.a, pid: known(scene.processes.a.pid) },
      { address: '::1', port: scene.ports.b, pid: known(scene.processes.b.pid) },
    ])
  })

  it('residents, and no process that only has their names among its arguments', () => {
    const { residents } = run.facts
    const { a, b, editor } = scene.processes
    const all = residents.known ? residents.value : []
    const [one, front, engine] = [
      all.find(({ pid }) => pid === a.pid),
      all.find(({ pid }) => pid === b.pid),
      all.find(({ ppid }) => ppid === b.pid),
    ]
    expect(one).toMatchObject({
      role: 'A',
      program: 'llama-server',
      port: scene.ports.a,
      ppid: process.pid,
      user: 'root',
      start: startOf(a.pid),
    })
    expect(one?.argv.slice(-4)).toEqual(['--api-key', '***', '--port', String(scene.ports.a)])
    expect(one?.rssBytes).toBeGreaterThan(10_000_000)
    expect(Math.abs((one?.startedAt ?? 0) - Date.now() / 1000)).toBeLessThan(600)
    const env = { SRV_MODEL: '/srv/flag ship', SRV_API_KEY: sha256(salt + secrets.inEnvironment) }
    expect(front).toMatchObject({ role: 'B', program: 'serve', port: scene.ports.b, start: startOf(b.pid) })
    expect(front?.env).toEqual(env)
    expect(engine).toMatchObject({ role: 'engine', program: 'engine', argv: [`${scene.folder}/kindb/engine`, '1000'] })
    expect(all.filter(({ pid }) => pid === editor.pid)).toEqual([])
    expect(all.filter(({ argv }) => argv.join(' ').includes(probeName))).toEqual([])
  })

  it('downloads', () => {
    const { downloads } = run.facts
    const { pid } = scene.processes.download
    const mine = downloads.known ? downloads.value.filter((job) => job.pid === pid) : []
    expect(mine).toMatchObject([{ pid, start: startOf(pid) }])
  })

  it('definitions with the digest of their bytes, and missing ones as missing', async () => {
    const path = join(scene.root, 'coder/compose.yaml')
    expect(run.facts.definitions).toEqual({
      '@root/coder/compose.yaml': known({
        path,
        digest: sha256(await readFile(path)),
        content: '# converge: managed com.example.coder\ncommand:\n  - --api-key\n  - ***\nlast: line\n',
        mode: (await stat(path)).mode & 0o7777,
        owner: 'root',
        mark: 'com.example.coder',
        modifiedAt: Math.floor((await stat(path)).mtimeMs / 1000),
      }),
      '@root/none.yaml': known(null),
      '@home/none.plist': known(null),
    })
  })

  it('key files by a digest that only this run can compare', async () => {
    const path = join(scene.root, 'coder/key')
    const modifiedAt = Math.floor((await stat(path)).mtimeMs / 1000)
    expect(run.facts.keyFiles).toEqual({
      '@root/coder/key': known({
        path,
        saltedDigest: sha256(`${salt}${secrets.inFile}\n`),
        mode: 0o600,
        owner: 'root',
        modifiedAt,
      }),
      '@root/no-key': known(null),
    })
  })

  it('what a run left behind beside them', () => {
    expect(run.facts.leftovers).toEqual({
      '@root/coder/compose.yaml': known([join(scene.root, 'coder/compose.yaml.converge-previous')]),
      '@root/none.yaml': known([]),
      '@home/none.plist': known([]),
      '@root/coder/key': known([join(scene.root, 'coder/.key.converge.Ab3dE6')]),
      '@root/no-key': known([]),
    })
  })

  it('models: shards, what is missing, what is not finished, the header', async () => {
    const [sharded = '', directory = '', none = ''] = asked().models
    const shard = (number: number) => sharded.replace('00001-of', `0000${number}-of`)
    const files = await Promise.all(
      [1, 3].map(async (number) => ({ path: shard(number), bytes: (await stat(shard(number))).size })),
    )
    expect(run.facts.models[sharded]).toMatchObject(
      known({
        type: 'file',
        files,
        shards: 3,
        missing: [shard(2)],
        unfinished: [`${shard(2)}.part`],
        header: known({ version: 3, architecture: 'llama', blockCount: 1 }),
      }),
    )
    const bytes = (await stat(join(directory, 'weights-1'))).size + (await stat(join(directory, 'serve'))).size
    expect(run.facts.models[directory]).toMatchObject(
      known({ type: 'directory', files: [{ path: directory, bytes }], unfinished: [] }),
    )
    expect(run.facts.models[none]).toEqual(known(null))
  })

  it('executables: which file it is, version and flags, of programs run by an interpreter too', () => {
    const [server = '', interpreter = '', script = '', none = ''] = asked().executables
    expect(run.facts.executables).toEqual({
      [server]: known({
        path: server,
        executable: true,
        file: expect.objectContaining(stampOf(server)),
        version: '6123 (0abc)',
        flags: known(['--help', '--port', '-h']),
      }),
      [interpreter]: known({
        path: interpreter,
        executable: true,
        file: expect.objectContaining(stampOf(interpreter)),
        flags: unknown('not-gathered', 'its help was not requested'),
      }),
      [script]: known({
        path: script,
        executable: false,
        file: expect.objectContaining(stampOf(script)),
        version: 'kindb 1.7.0',
        flags: known(['--host', '--port', '-h']),
      }),
      [none]: known(null),
    })
  })

  it('disks', async () => {
    const { blocks, bsize } = await statfs(scene.folder)
    for (const path of asked().disks) {
      const disk = run.facts.disks[path]
      expect(disk?.known && Math.round(disk.value.totalBytes / ((blocks * bsize) / 100))).toBe(100)
    }
  })

  it('records of the last apply, and the lock', () => {
    const { applied, lock } = run.facts
    expect(applied).toMatchObject(known({ coder: { service: 'coder', runId: 'r-1', wanted: { ctx_size: 1 } } }))
    expect(lock).toMatchObject(known({ owner: 'ann', controller: 'desk', runId: 'r-9' }))
    const ageS = lock.known && lock.value !== null ? lock.value.ageS : 0
    expect(ageS >= 30 && ageS < 600).toBe(true)
  })

  it('no secret, in no stream', () => {
    for (const secret of Object.values(secrets)) expect(`${run.stdout}${run.stderr}`).not.toContain(secret)
  })

  it('and leaves no trace', async () => {
    expect(await listing(scene.folder)).toEqual(before)
  })
})

describe.each(['dash', 'busybox'])('a program that serves instead of printing its help, in %s', (shell) => {
  it('is ended, and its flags are unknown', async () => {
    const path = `${scene.folder}/bin/deaf`
    const started = Date.now()
    const { facts } = await runProbe(
      settingOf(shell),
      asked({ executables: [path], programs: [{ path, kind: 'A' }] }),
      scene.folder,
    )
    expect(facts.executables[path]).toEqual(
      known({
        path,
        executable: true,
        file: expect.objectContaining(stampOf(path)),
        flags: unknown('timed-out', 'it did not answer --help'),
      }),
    )
    expect(Date.now() - started).toBeLessThan(50_000)
  })
})

describe('the probe of every platform', () => {
  it('chooses by itself on a host the inventory does not name the platform of', async () => {
    const { platform: _, ...open } = asked()
    const { facts } = await runProbe(settingOf('dash'), open, scene.folder)
    expect(facts.platform).toMatchObject(known({ os: 'linux' }))
    expect(facts.lock).toMatchObject(known({ owner: 'ann' }))
  })

  it('only identifies a host that the inventory declares a Mac', async () => {
    const { facts } = await runProbe(settingOf('dash'), asked({ platform: 'macos' }), scene.folder)
    expect(facts.platform).toMatchObject(known({ os: 'linux' }))
    expect(facts.memory).toEqual(unknown('wrong-platform', 'the inventory says macos, the host runs linux'))
  })
})
