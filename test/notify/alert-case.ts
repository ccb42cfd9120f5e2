import type { Fleet } from '../../src/model/fleet.ts'
import type { ActionOverview, FetchOverview, Finding, HostOverview, Overview, ServiceOverview } from '../../src/model/overview.ts'
import type { SmokeResult } from '../../src/model/report.ts'

/** One run of `test/fixtures/notify/alerts.yaml`, in its short words. */
export interface AlertRun {
  readonly verb: string
  readonly hosts: Readonly<Record<string, 'unreachable' | Readonly<Record<string, readonly string[]>>>>
  /** `-s`; absent: every service. */
  readonly services?: readonly string[]
  readonly fleet?: Readonly<Record<string, readonly string[]>>
  /** By host and services that share a model: how far it is, then how its last job stands and which run began it; see `fetchOf`. */
  readonly fetches?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly runId?: string
  readonly sends?: readonly string[]
}

const usual = { nas: ['coder', 'writer'], box: ['flagship'] }

export function fleetOf({ fleet = usual }: AlertRun): Fleet {
  const hosts = Object.entries(fleet).map(([name, services]) => ({ name, services: services.map((one) => ({ name: one })) }))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing but names is looked at
  return { hosts } as unknown as Fleet
}

export function overviewOf({ verb, hosts, fetches = {}, runId }: AlertRun): Overview {
  const all = Object.entries(hosts).map(([host, found]): HostOverview => {
    if (found === 'unreachable') return { host, tone: 'bad', reachable: false, services: [] }
    return {
      host,
      tone: 'good',
      reachable: true,
      services: Object.entries(found).map(([name, said]) => serviceOf(host, name, said)),
      fetches: Object.entries(fetches[host] ?? {}).map(([services, said]) => fetchOf(services, said)),
    }
  })
  return {
    verb,
    headline: '',
    tone: 'good',
    version: '1',
    hosts: all,
    issues: [],
    ...(runId === undefined ? {} : { runId }),
  }
}

const states = ['complete', 'fetching', 'due', 'stopped', 'failed', 'refused', 'unknown'] as const
const jobStates = ['working', 'done', 'failed', 'stopped'] as const
const resumable = ['failed', 'stopped', 'cut-off'] as const

/** `STATE [JOB RUN] [after HOW]`; JOB is `gone` where its process is. Reasons hold figures that are never twice the same. */
function fetchOf(services: string, said: string): FetchOverview {
  const [state, job, run, , how] = said.split(' ')
  const problem = { code: 'MODEL.NO_SPACE', summary: 'The disk became full.', why: `${figure++} GiB`, next: [] }
  const jobState = job === 'gone' ? 'working' : jobStates.find((one) => one === job)
  const resumed = resumable.find((one) => one === how)
  return {
    model: `/m/${services}`,
    services: services.split(', '),
    repo: `org/${services}`,
    state: states.find((one) => one === state) ?? 'unknown',
    ...(jobState === undefined || run === undefined
      ? {}
      : { job: { state: jobState, alive: job === 'working', commit: 'c1'.repeat(20), run_id: run } }),
    ...(resumed === undefined ? {} : { resumed: { state: resumed, problem } }),
    ...(state === 'failed' || state === 'refused' ? { problem } : {}),
  }
}

function serviceOf(host: string, service: string, said: readonly string[]): ServiceOverview {
  const smoke = said.flatMap((one) => smokeOf(host, service, one) ?? [])[0]
  return {
    service,
    tone: 'good',
    state: '',
    actions: said.flatMap((one) => actionOf(host, service, one) ?? []),
    findings: said.flatMap((one) => findingOf(one) ?? []),
    ...(smoke === undefined ? {} : { smoke }),
  }
}

const levels = ['drift', 'pending', 'both', 'foreign', 'refused'] as const

/** Of a refusal, words that are never twice the same. */
let figure = 0

function findingOf(said: string): Finding | undefined {
  const blank = { code: '', summary: '', why: `${figure++} GiB`, evidence: [], next: [] }
  if (said === 'not compared') return { ...blank, level: 'not compared' }
  const level = levels.find((one) => said.startsWith(`${one} `))
  if (level === undefined) return undefined
  const [code = '', here = ''] = said.slice(level.length + 1).split('=')
  return { ...blank, level, code, ...(level === 'refused' ? {} : { values: { wanted: '8', applied: '8', here } }) }
}

function actionOf(host: string, service: string, said: string): ActionOverview | undefined {
  const [word, kind = '', status] = said.split(' ')
  if (word !== 'action' || (status !== 'failed' && status !== 'applied' && status !== 'not-run')) return undefined
  const id = `${host}/${service}/${kind}`
  return { id, kind, reason: '', changes: [], result: { action: id, status, ms: 1, done: [] } }
}

function smokeOf(host: string, service: string, said: string): SmokeResult | undefined {
  const [word, how] = said.split(' ')
  if (word !== 'smoke') return undefined
  const check = {
    name: 'health',
    ok: how === 'ok',
    detail: '',
    ms: 1,
    ...(how === 'skipped' ? { skipped: 'no key' } : {}),
  } as const
  return { host, service, ok: how === 'ok', checks: [check] }
}
