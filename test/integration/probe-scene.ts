import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeGguf } from '../../simulation/gguf-writer.ts'

/** Never to be seen in anything that a probe prints. */
export const secrets = {
  inArguments: 'SECRET-in-arguments',
  inEnvironment: 'SECRET-in-environment',
  inFile: 'SECRET-in-file',
} as const

export interface Scene extends AsyncDisposable {
  readonly folder: string
  /** converge's folder of this scene. */
  readonly root: string
  readonly ports: { readonly a: number; readonly b: number }
  readonly processes: {
    readonly a: ChildProcess
    readonly b: ChildProcess
    readonly download: ChildProcess
    readonly editor: ChildProcess
  }
}

const idle = 'setInterval(() => {}, 1e6)'
const listen = (where: string) =>
  `require('node:net').createServer().listen(Number(process.argv[process.argv.indexOf('--port') + 1]), '${where}', () => console.log('up'))`

/** Files, listeners and processes as on a host: real ones, so that the facts can be checked independently. */
export async function setScene(): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'converge-probe-'))
  const root = join(folder, 'converge dir')
  await writeFiles(folder, root)
  const ports = { a: await freePort(), b: await freePort() }
  const key = ['--api-key', secrets.inArguments]
  const processes = {
    a: spawn(process.execPath, ['-e', listen('127.0.0.1'), '--', ...key, '--port', String(ports.a)], { argv0: 'llama-server' }),
    b: spawn(process.execPath, [join(folder, 'kindb/serve'), 'serve', '--host', '::1', '--port', String(ports.b)], {
      env: { SRV_MODEL: '/srv/flag ship', SRV_API_KEY: secrets.inEnvironment, OTHER: 'not asked', PATH: '/usr/bin:/bin' },
    }),
    download: spawn(process.execPath, [join(folder, 'bin/hf'), 'download', 'org/name']),
    editor: spawn(process.execPath, ['-e', `${idle}; console.log('up')`, '--', 'llama-server', 'serve', '--port', '1'], {
      argv0: 'vim',
    }),
  }
  await Promise.all(Object.values(processes).map((child) => once(child.stdout, 'data')))
  return {
    folder,
    root,
    ports,
    processes,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(Object.values(processes).map(end))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

const record = {
  service: 'coder',
  mark: 'com.example.coder',
  runId: 'r-1',
  appliedAt: '2026-11-20T10:00:00.000Z',
  definitionDigest: 'd',
  wanted: { ctx_size: 1 },
}

async function writeFiles(folder: string, root: string): Promise<void> {
  for (const one of ['applied', 'lock', 'coder']) await mkdir(join(root, one), { recursive: true })
  for (const one of ['models', 'kindb', 'bin']) await mkdir(join(folder, one))
  await writeFile(
    join(root, 'coder/compose.yaml'),
    `# converge: managed com.example.coder\ncommand:\n  - --api-key\n  - ${secrets.inFile}\nlast: line`,
  )
  await writeFile(join(root, 'coder/key'), `${secrets.inFile}\n`)
  await chmod(join(root, 'coder/key'), 0o600)
  await writeFile(join(root, 'coder/compose.yaml.converge-previous'), 'as it was before')
  await writeFile(join(root, 'coder/.key.converge.Ab3dE6'), `${secrets.inFile}\n`)
  await writeFile(join(root, 'applied/coder.json'), JSON.stringify(record, null, 2))
  await writeFile(join(root, 'lock/owner'), JSON.stringify({ owner: 'ann', controller: 'desk', runId: 'r-9' }))
  await writeFile(join(root, 'lock/beat'), `${Math.floor(Date.now() / 1000) - 30}\n`)
  for (const shard of [1, 3])
    await writeFile(
      join(folder, `models/my mödel-0000${shard}-of-00003.gguf`),
      writeGguf({ 'general.architecture': { string: 'llama' }, 'llama.block_count': { u32: shard } }, []),
    )
  await writeFile(join(folder, 'models/my mödel-00002-of-00003.gguf.part'), 'half')
  await writeFile(join(folder, 'kindb/weights-1'), Buffer.alloc(300_000))
  await writeFile(join(folder, 'kindb/serve'), kindB(folder))
  await writeFile(join(folder, 'bin/hf'), `${idle}; console.log('up')`)
  await writeProgram(
    join(folder, 'bin/llama-server'),
    `case $1 in --version) echo 'version: 6123 (0abc)' >&2 ;; --help) printf -- '-h, --help  print\\n--port N  see --host\\n' ;; esac`,
  )
  await writeProgram(join(folder, 'bin/deaf'), 'sleep 60 & wait')
}

async function writeProgram(path: string, script: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
}

/** A front that keeps an engine from its own folder, and knows its help. */
function kindB(folder: string): string {
  return `
if (process.argv.includes('--help')) { console.log('usage: serve [-h] [--host HOST]\\n  --port PORT  a port'); process.exit(0) }
if (process.argv.includes('--version')) { console.log('kindb 1.7.0'); process.exit(0) }
const engine = require('node:child_process').spawn('sleep', ['1000'], { argv0: '${folder}/kindb/engine' })
process.on('SIGTERM', () => { engine.kill(); process.exit(0) })
engine.on('spawn', () => ${listen('::1')})
`
}

/** As this machine's own file system reports it. */
export function stampOf(path: string): object {
  const { dev, ino, mtimeMs } = statSync(path)
  return { device: String(dev), inode: String(ino), modified: Math.floor(mtimeMs / 1000) }
}
