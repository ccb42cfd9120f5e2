import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchIdOf } from '../../src/facts/fetch-id.ts'
import { type Copied, copyFile, type FileCopy } from '../../src/fetch/copy-file.ts'
import { type Copy, openCopy } from '../../src/fetch/receive-piece.ts'
import { startFetch } from '../../src/fetch/start-fetch.ts'
import { type FetchOrder, type FoundFile, partialPaths, type WantedFile } from '../../src/model/fetch.ts'
import type { SecretText } from '../../src/model/secret.ts'
import { systemClock } from '../../src/time/clock.ts'
import type { Transport } from '../../src/transports/transport.ts'
import { hasty } from './fetch-scene.ts'
import { type ShTransport, shTransport } from './sh-transport.ts'

/** Two hosts of real shells; one has a file that the other is to get. */
export interface CopyScene extends AsyncDisposable {
  readonly from: ShTransport
  readonly to: ShTransport
  readonly root: string
  readonly file: WantedFile
  /** Where the other host has it. */
  readonly sourcePath: string
  readonly part: string
  readonly copy: Copy
  open(nonce?: string): Promise<{ readonly ended: string }>
  /** @param have bytes that are believed to be there */
  run(more?: Partial<FileCopy>): Promise<Copied>
  /** Starts the job of the model. @returns its last state */
  settle(more?: Partial<FetchOrder>): Promise<string>
  /** What lies where the file belongs. */
  names(): Promise<readonly string[]>
  /** As the record of the other host has it. */
  recorded(): Promise<FoundFile>
}

/** What receives is a shell of its own: of the same kind. */
function ownShell(to: ShTransport, shell: readonly string[]): Transport {
  const text = (part: SecretText[number]) =>
    typeof part === 'string' ? part.replace('/bin/sh -c', `${shell.join(' ')} -c`) : part
  return { ...to, exec: (script, options) => to.exec({ ...script, text: script.text.map(text) }, options) }
}

const patienceMs = 100_000

export async function copyScene(content: Buffer, shell: readonly string[] = ['/bin/sh']): Promise<CopyScene> {
  const from = await shTransport(shell, 'nas')
  const to = await shTransport(shell, 'studio')
  const sourcePath = join(from.folder, "it's here.gguf")
  await writeFile(sourcePath, content)
  const folder = join(to.folder, 'models of Ada')
  const digest = { kind: 'sha256', hex: createHash('sha256').update(content).digest('hex') } as const
  const file: WantedFile = { name: 'coder.gguf', path: join(folder, 'coder.gguf'), bytes: content.length, digest }
  const order: FetchOrder = {
    id: fetchIdOf(file.path),
    model: file.path,
    services: ['coder'],
    hub: 'http://127.0.0.1:9',
    repo: 'org/coder',
    commit: 'c'.repeat(40),
    fetcher: 'none',
    selection: [],
    files: [file],
  }
  const root = join(to.folder, 'etc')
  const by = { owner: 'ada', controller: 'desk', runId: 'run-1', startedAt: '2026-01-01T00:00:00Z' }
  const copy: Copy = { root, order, nonce: 'n1', by }
  const recorded = async (): Promise<FoundFile> => {
    const { size: bytes, ino, mtimeMs, ctimeMs } = await stat(sourcePath)
    const [modified, changed] = [mtimeMs, ctimeMs].map((ms) => Math.floor(ms / 1000))
    return { path: sourcePath, bytes, inode: String(ino), modified: modified ?? 0, changed: changed ?? 0 }
  }
  const proved = await recorded()
  return {
    from,
    to,
    root,
    file,
    sourcePath,
    part: partialPaths(file).part,
    copy,
    recorded,
    open: (nonce = 'n1') => openCopy(to, { ...copy, nonce }),
    run: (more = {}) =>
      copyFile({
        copy,
        file,
        have: 0,
        supplier: { host: 'nas', file: proved },
        receiver: ownShell(to, shell),
        source: async () => from,
        limits: { pieceBytes: 400_000, stallMs: 60_000 },
        onProgress: () => undefined,
        clock: systemClock,
        signal: new AbortController().signal,
        ...more,
      }),
    settle: async (more = {}) => {
      await startFetch(to, root, { ...order, ...more }, { ...by, nonce: 'job', limits: hasty })
      const state = join(root, 'fetch', order.id, 'state')
      for (const until = Date.now() + patienceMs; Date.now() < until; ) {
        // oxlint-disable-next-line no-await-in-loop -- it is waited for
        const now = (await readFile(state, 'utf8')).trim()
        if (!now.startsWith('working')) return now
        // oxlint-disable-next-line no-await-in-loop -- as above
        await systemClock.sleep(50)
      }
      throw new Error('it still works')
    },
    names: async () =>
      readdir(folder).then(
        (all) => all.toSorted((one, other) => (one < other ? -1 : 1)),
        () => [],
      ),
    [Symbol.asyncDispose]: async () => {
      await mkdir(root, { recursive: true })
      await from[Symbol.asyncDispose]()
      await to[Symbol.asyncDispose]()
    },
  }
}
