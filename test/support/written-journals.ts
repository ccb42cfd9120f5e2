import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../../src/context/context.ts'
import type { JournalledOperation } from '../../src/model/journal.ts'

/** A run in a fixture. */
export interface RunCase {
  readonly id: string
  readonly verb?: string
  readonly continues?: string
  /** `1/2`, or `1/2 of monday`. */
  readonly shard?: string
  readonly inventory?: string
  readonly limit?: string
  readonly services?: readonly string[]
  readonly playbook?: string
  /** What was asked of services by name. */
  readonly operations?: readonly JournalledOperation[]
  /** Absent: it ended before it had a plan. */
  readonly hosts?: Readonly<Record<string, 'finished' | 'failed' | 'unreached'>>
}

/** A state folder, and what is written about its journals. */
export interface JournalPlace extends AsyncDisposable {
  readonly state: string
  readonly place: Pick<Context, 'env' | 'cwd' | 'err'>
  said(): string
  write(runs: readonly RunCase[]): Promise<void>
}

export async function openJournalPlace(): Promise<JournalPlace> {
  const state = await mkdtemp(join(tmpdir(), 'journals-'))
  let said = ''
  const err = { writeProse: (text: string) => void (said += text) }
  return {
    state,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is asked for
    place: { env: { CONVERGE_STATE_DIR: state }, cwd: '/', err } as unknown as Context,
    said: () => said,
    write: (runs) => writeJournals(state, runs),
    [Symbol.asyncDispose]: () => rm(state, { recursive: true }),
  }
}

/** Journals as runs of a fleet with one service on each host leave them. */
async function writeJournals(state: string, runs: readonly RunCase[]): Promise<void> {
  await mkdir(join(state, 'runs'), { recursive: true })
  for (const run of runs) {
    const lines = linesOf(run).map((line) => JSON.stringify({ at: '2026-11-01T09:00:00.000Z', ...line }))
    await writeFile(join(state, 'runs', `${run.id}.ndjson`), `${lines.join('\n')}\n`)
  }
}

const start = { kind: 'start', service: 'coder' }

function linesOf({
  id,
  hosts,
  inventory = '/srv/fleet',
  limit,
  services = [],
  playbook,
  operations,
  verb = 'apply',
  continues,
  shard,
}: RunCase) {
  const selection = {
    limit,
    services,
    operations,
    ...(playbook === undefined ? {} : { playbook: { path: playbook, digest: 'p' } }),
  }
  const about = { run_id: id, verb, continues, selection, shard: shardOf(shard), inventory: { path: inventory, digest: 'd' } }
  const begun = { event: 'run-begun', format: 1, ...about }
  if (hosts === undefined) return [begun]
  const names = Object.entries(hosts)
  const plan = {
    hosts: names.map(([host]) => ({ host, reachable: true, actions: [{ ...start, id: `${host}/coder/start`, host }] })),
  }
  const ended = names.map(([host, became]) => {
    const status = { finished: 'applied', failed: 'failed', unreached: 'not-run' }[became]
    const report = { host, reachable: true, actions: [{ action: `${host}/coder/start`, status }], smoke: [] }
    return { event: 'host-ended', host, report }
  })
  return [begun, { event: 'run-planned', plan }, ...ended, { event: 'run-ended', exit_code: 0 }]
}

function shardOf(text: string | undefined) {
  const [, index, of, run_id] = /^(\d+)\/(\d+)(?: of (\S+))?$/.exec(text ?? '') ?? []
  return index === undefined ? undefined : { index: Number(index), of: Number(of), from: '--shard', run_id }
}
