import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fetchIdOf } from '../../src/facts/fetch-id.ts'
import { lookAtRecords, lookForReferences } from '../../src/fetch/look-at-records.ts'
import { type PruneOutcome, pruneFiles } from '../../src/fetch/prune-files.ts'
import { sha256 } from '../../src/lib/digest.ts'
import type { HostFacts, Layout } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import { known } from '../../src/model/observed.ts'
import type { PruneItem } from '../../src/model/prune.ts'
import { judgeRecords } from '../../src/plan/prune/judge.ts'
import { referenceQuestion } from '../../src/plan/prune/question.ts'
import { aHost, someFacts } from './build.ts'
import { type ShTransport, shTransport } from './sh-transport.ts'

export const here = { controller: 'desk', inventory: '/home/ada/inventory' }

/** A host of a real shell, with a folder for models and what converge remembers of its downloads. */
export interface PruneScene extends AsyncDisposable {
  readonly transport: ShTransport
  /** Converge's folder there. */
  readonly root: string
  /** In the folder for models. */
  at(name: string): string
  /** Writes a file there. */
  put(name: string, content?: string): Promise<void>
  /** Writes down that a job fetched these files, which are there. @returns the folder of the job */
  record(job: ScenedJob): Promise<string>
  /** What is seen to be removed or kept. */
  judge(over?: Partial<HostFacts>, services?: readonly Service[]): Promise<readonly PruneItem[]>
  /** Removes what was judged so. */
  remove(items: readonly PruneItem[]): Promise<readonly PruneOutcome[]>
  /** All files below the folder for models, sorted. */
  files(): readonly string[]
}

export interface ScenedJob {
  /** `model.path` */
  readonly model: string
  /** What jobs gave its name. */
  readonly fetched: readonly string[]
  /** What it was to fetch; absent: what was fetched. */
  readonly wants?: readonly string[]
  readonly state?: string
}

export const digestOf = (path: string): string => sha256(path)

/** @param given the place of another scene; absent: one of its own */
export async function pruneScene(shell: readonly string[] = ['/bin/sh'], given?: { readonly root: string }): Promise<PruneScene> {
  const transport = await shTransport(shell)
  const root = given?.root ?? join(transport.folder, 'etc')
  const models = join(transport.folder, "models of Ada's, größer")
  await mkdir(models, { recursive: true })
  const at = (name: string) => join(models, name)
  const layout: Layout = { user: 'op', home: join(transport.folder, 'home'), effectiveUid: 0, root }
  const { signal } = new AbortController()
  return {
    transport,
    root,
    at,
    put: async (name, content = name) => {
      await mkdir(dirname(at(name)), { recursive: true })
      await writeFile(at(name), content)
    },
    record: async ({ model, fetched, wants = fetched, state = 'done' }) => {
      const folder = join(root, 'fetch', fetchIdOf(model))
      const origin = { owner: 'ada', ...here }
      await mkdir(folder, { recursive: true })
      const lines = {
        about: JSON.stringify({ model, services: ['coder'], repo: 'org/coder', commit: 'c'.repeat(40), ...origin }),
        files: wants.map((path) => ['1', 'sha256', digestOf(path), 'http://hub', path, 'name'].join('\t')).join('\n'),
        state,
        fetched: fetched.map((path) => `${stampOf(path)} ${path}`).join('\n'),
        digests: fetched.map((path) => `sha256 ${digestOf(path)} ${stampOf(path)} ${path}`).join('\n'),
        log: 'begins',
        // Of one that has ended.
        process: '4194999 1234567',
      }
      await Promise.all(Object.entries(lines).map(([name, text]) => writeFile(join(folder, name), `${text}\n`)))
      return folder
    },
    judge: async (over = {}, services = []) => {
      const host = aHost({ services })
      const facts = someFacts(host, { layout: known(layout), ...over })
      const records = await lookAtRecords(transport, root, signal)
      if (!records.known) throw new Error(records.detail)
      const question = referenceQuestion(host, facts, layout, records.value)
      const references = await lookForReferences(transport, layout, question, signal)
      return judgeRecords({ host, facts, root, records: records.value, references, elsewhere: [], here })
    },
    remove: async (items) => {
      const lock = {
        fence: { label: 'ours', script: ':', args: [] },
        watch: { tag: 'ours', script: ':', args: [] },
      }
      const due = Map.groupBy(
        items.filter(({ verdict }) => verdict === 'remove'),
        ({ id }) => id,
      )
      const all = [...due].map(([id, own]) => pruneFiles(transport, { root, id, items: own, lock, nonce: 'n0nce' }))
      return (await Promise.all(all)).flat()
    },
    files: () => {
      const all = existsSync(models) ? readdirSync(models, { recursive: true, encoding: 'utf8' }) : []
      return all.filter((name) => !statSync(at(name), { throwIfNoEntry: false })?.isDirectory()).toSorted()
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

/** `BYTES INODE MODIFIED CHANGED`, as a job writes it down. */
function stampOf(path: string): string {
  const { size, ino, mtimeMs, ctimeMs } = statSync(path)
  return [size, ino, Math.floor(mtimeMs / 1000), Math.floor(ctimeMs / 1000)].join(' ')
}
