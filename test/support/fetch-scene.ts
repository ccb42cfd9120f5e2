import { readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetchIdOf } from '../../src/facts/fetch-id.ts'
import { type FetchLimits, startFetch } from '../../src/fetch/start-fetch.ts'
import { stopFetch } from '../../src/fetch/stop-fetch.ts'
import { type FetchOrder, partialPaths, type WantedFile } from '../../src/model/fetch.ts'
import type { FetcherName } from '../../src/model/fleet.ts'
import { Secret } from '../../src/model/secret.ts'
import type { FakeContent } from './fake-hub/content.ts'
import { fileOf } from './fake-hub/file.ts'
import { type FakeHub, startFakeHub } from './fake-hub.ts'
import { type ShTransport, shTransport } from './sh-transport.ts'

/** Each test process has its own: another one looks for its own in all processes of the machine. */
export const token = `hf_${process.pid}Quo"te's\\slash`

export const repo = 'org/coder'
export const commit = 'c'.repeat(40)

/** Small enough to be many, and in a hurry. */
export const hasty: FetchLimits = { pieceBytes: 400_000, stallS: 2, tries: 4, pauseS: 1, longestPauseS: 1 }

/** A host of a real shell, a hub, and a model of some files that is to come from one to the other. */
export interface FetchScene extends AsyncDisposable {
  readonly hub: FakeHub
  readonly transport: ShTransport
  readonly root: string
  readonly order: FetchOrder
  start(limits?: FetchLimits): Promise<'begun' | 'busy'>
  stop(): Promise<'stopped' | 'idle'>
  /** Kills the job, and unless it is to be alone all that it started. @returns whether it was there */
  kill(how?: 'alone'): boolean
  /** The line in its `state`. */
  state(): Promise<string>
  log(): Promise<string>
  /** Waits until it no longer works. @returns its state */
  end(): Promise<string>
  /** What lies where the model belongs, without folders; names sorted. */
  names(): Promise<readonly string[]>
  /** Creates a file before the fetch. */
  place(name: string, content: string | Uint8Array): Promise<void>
}

interface SceneOptions {
  /** Where programs are; absent: those of this machine. */
  readonly path?: string
  /** Whether the hub wants a token; absent: where the programs are those of this machine. */
  readonly token?: boolean
  /** The model is a folder, and not its first file. */
  readonly isFolder?: boolean
  readonly fetcher?: FetcherName
  /** Where the files belong; absent: below the transport's folder. */
  readonly folder?: string
}

const patienceMs = 100_000

export async function fetchScene(
  files: Readonly<Record<string, FakeContent>>,
  { path, token: hasToken = path === undefined, isFolder = false, folder: given, fetcher = 'auto' }: SceneOptions = {},
): Promise<FetchScene> {
  const transport = await shTransport(path === undefined ? ['/bin/sh'] : ['/usr/bin/env', `PATH=${path}`, '/bin/sh'])
  const hub = await startFakeHub({ [repo]: { at: { main: commit }, files } }, hasToken ? { token } : {})
  const root = join(transport.folder, 'etc')
  const folder = given ?? join(transport.folder, "models of Ada's, größer")
  const wanted = await Promise.all(
    Object.entries(files).map(async ([name, content]): Promise<WantedFile> => {
      const file = await fileOf(repo, name, content)
      if (file === undefined) throw new Error(`${name} has no content`)
      const digest = { kind: file.large ? 'sha256' : 'git', hex: file.digest } as const
      return { name, path: join(folder, name), bytes: file.bytes, digest }
    }),
  )
  const model = isFolder ? folder : (wanted[0]?.path ?? folder)
  const order: FetchOrder = {
    id: fetchIdOf(model),
    model,
    services: ['coder'],
    hub: hub.url,
    repo,
    commit,
    fetcher,
    selection: [],
    files: wanted,
  }
  const job = join(root, 'fetch', order.id)
  const read = async (name: string) => readFile(join(job, name), 'utf8').catch(() => '')
  const state = async () => (await read('state')).trim()
  /** A job says how it ended before it gives its lock back, and exits after that: until then, others see it running. */
  const isThere = async () => {
    const [pid = '', start] = (await read('process')).trim().split(' ')
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const [is, ...rest] = stat.replace(/^.*\) /s, '').split(' ')
    return start !== undefined && is !== 'Z' && rest[18] === start
  }
  let starts = 0
  return {
    hub,
    transport,
    root,
    order,
    state,
    start: async (limits = hasty) => {
      const { outcome } = await startFetch(transport, root, order, {
        owner: 'ada',
        controller: 'desk',
        inventory: '/home/ada/inventory',
        runId: 'run-1',
        startedAt: '2026-01-01T00:00:00Z',
        nonce: `n${(starts += 1)}`,
        limits,
        ...(hasToken ? { token: new Secret(token, 'env HF_TOKEN') } : {}),
      })
      return outcome
    },
    stop: () => stopFetch(transport, root, order.id),
    kill: (how) => {
      try {
        const pid = Number(readFileSync(join(job, 'process'), 'utf8').split(' ')[0])
        process.kill(how === 'alone' ? pid : -pid, 'SIGKILL')
        return true
      } catch {
        return false
      }
    },
    log: () => read('log'),
    end: async () => {
      for (const until = Date.now() + patienceMs; Date.now() < until; ) {
        // oxlint-disable-next-line no-await-in-loop -- it is waited for
        const now = await state()
        // oxlint-disable-next-line no-await-in-loop -- as above
        if (now !== '' && !now.startsWith('working') && !(await isThere())) return now
        // oxlint-disable-next-line no-await-in-loop -- as above
        await sleep(50)
      }
      throw new Error(`it still works: ${await state()}\n${await read('log')}`)
    },
    names: async () => {
      const all = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
      return all
        .filter((one) => !one.isDirectory())
        .map((one) => one.name)
        .toSorted()
    },
    place: async (name, content) => {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), content)
    },
    [Symbol.asyncDispose]: async () => {
      if (/^(working|$)/.test(await state())) await stopFetch(transport, root, order.id)
      await hub[Symbol.asyncDispose]()
      await transport[Symbol.asyncDispose]()
    },
  }
}

/** The file of an order that ends with a name. */
export function fileNamed({ files }: FetchOrder, name: string): WantedFile & { readonly part: string } {
  const file = files.find(({ path }) => path.endsWith(name))
  if (file === undefined) throw new Error(`no ${name}`)
  return { ...file, part: partialPaths(file).part }
}
