import { ownershipLabelKey } from '../../src/managers/compose/project.ts'
import type { Container, HostFacts, Resident } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import { known } from '../../src/model/observed.ts'
import type { Entry, RecordedJob, References } from '../../src/model/prune.ts'
import { judgeRecords, type PruneCase } from '../../src/plan/prune/judge.ts'
import { aHost, someFacts } from './build.ts'

export const model = '/srv/models/coder-00001-of-00002.gguf'
export const second = '/srv/models/coder-00002-of-00002.gguf'
export const here = { controller: 'desk', inventory: '/home/ada/inventory' }
export const hex = 'ab12cd34'.repeat(8)
export const part = `${second}.ab12cd34.part`

export function entry(path: string, more: Partial<Entry> = {}): Entry {
  const inode = String(Buffer.from(path).reduce((sum, byte) => sum + byte, 100 + path.length))
  return { path, type: 'file', device: '65024', bytes: 10, inode, modified: 1000, changed: 1001, ...more }
}

export const nodeOf = (path: string) => `65024:${entry(path).inode}`

export function aJob(more: Partial<RecordedJob> = {}): RecordedJob {
  const digest = { kind: 'sha256', hex } as const
  const { bytes, inode, modified, changed } = entry(model)
  return {
    about: { model, services: ['coder'], owner: 'ada', ...here },
    alive: false,
    state: 'stopped',
    wants: [model, second].map((path) => ({ path, digest })),
    fetched: [{ path: model, stamp: { bytes, inode, modified } }],
    digests: [{ path: model, bytes, inode, modified, changed, digest }],
    entries: [entry(model), entry(part)],
    ...more,
  }
}

export const flagship = '/srv/flagship'
export const folder: RecordedJob = (() => {
  const path = `${flagship}/config.json`
  const { bytes, inode, modified, changed } = entry(path)
  const digest = { kind: 'sha256', hex } as const
  return aJob({
    about: { model: flagship, services: ['flagship'], owner: 'ada', ...here },
    wants: [{ path, digest }],
    fetched: [{ path, stamp: { bytes, inode, modified } }],
    digests: [{ path, bytes, inode, modified, changed, digest }],
    entries: [entry(path), entry(`${flagship}/converge.part`)],
  })
})()

export const nothing: References = { nodes: {}, mentions: [], leads: [], open: [], unread: [] }

export interface Given {
  readonly job?: RecordedJob
  readonly facts?: Partial<HostFacts>
  readonly references?: Partial<References>
  readonly services?: readonly Service[]
  readonly over?: Partial<PruneCase>
}

export function judge({ job = aJob(), facts = {}, references = {}, services = [], over = {} }: Given) {
  const host = aHost({ services })
  return judgeRecords({
    host,
    facts: someFacts(host, facts),
    root: '/etc/converge',
    records: [{ id: '0123456789abcdef', job: known(job) }],
    references: known({ ...nothing, ...references }),
    elsewhere: [],
    here,
    ...over,
  })
}

/** The reasons for which all of it is kept; `remove`: it all goes. */
export function outcome(given: Given): readonly string[] {
  return [...new Set(judge(given).map(({ verdict, why }) => (verdict === 'remove' ? 'remove' : why)))]
}

const server: Resident = {
  pid: 7,
  ppid: 1,
  start: '1',
  user: 'root',
  command: 'llama-server',
  argv: ['llama-server', '-m', model],
  rssBytes: 1,
  role: 'A',
  program: 'llama-server',
}

const box: Container = {
  id: 'c0ffee',
  name: 'box',
  image: 'llama',
  state: 'exited',
  health: 'none',
  exitCode: 0,
  restartCount: 0,
  oomKilled: false,
  pid: 0,
  startedAt: '',
  entrypoint: ['/app/server'],
  command: [],
  restartPolicy: 'no',
  binds: ['/srv/models:/models:ro'],
  ports: [],
  labels: {},
}

export const mark = { [ownershipLabelKey]: 'com.example.other' }
export const containers = (one: Partial<Container>): Partial<HostFacts> => {
  const { value } = someFactsContainers
  return { containers: known({ ...value, containers: [{ ...box, ...one }] }) }
}
const someFactsContainers = (() => {
  const { containers: all } = someFacts(aHost())
  if (!all.known) throw new Error('no containers')
  return all
})()

export const running = (more: Partial<Resident>): Partial<HostFacts> => ({ residents: known([{ ...server, ...more }]) })
export const says = (definition: string, more: object = {}): Partial<References> => ({
  mentions: [{ by: { definition }, name: 'coder-00001-of-00002.gguf', ...more }],
})
