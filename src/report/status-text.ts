import type { ServerKindName, WantedState } from '../model/names.ts'
import { kindWords } from '../servers/traits.ts'
import type { Paint, PaintStyle } from './paint.ts'
import { renderTable } from './table.ts'

/** One service of `converge status --json`. `null`: unknown, or none. */
export interface ServiceStatus {
  readonly host: string
  readonly service: string
  readonly kind: ServerKindName
  readonly manager: string
  readonly wanted: WantedState
  readonly state: 'running' | 'paused' | 'stopped' | 'failed' | 'not-loaded' | 'unknown' | 'unreachable'
  /** Where it listens; while it does not run, its port in the inventory. */
  readonly port: number
  readonly pid: number | null
  readonly warm: 'warm' | 'cold' | 'unknown' | null
  readonly health: 'ready' | 'loading' | 'no-answer' | 'failing' | 'unknown' | null
  /** Of its program, as the server or the program reports it. */
  readonly version: string | null
  /** Digest or id of the image that its container was created from, shortened. */
  readonly image: string | null
  /** Exit code, restarts, why something is unknown. */
  readonly notes: readonly string[]
}

const stateStyles: Readonly<Record<ServiceStatus['state'], PaintStyle>> = {
  running: 'green',
  paused: 'yellow',
  stopped: 'dim',
  failed: 'red',
  'not-loaded': 'dim',
  unknown: 'yellow',
  unreachable: 'red',
}

/** One line per service, and its notes below it. */
export function renderStatus(services: readonly ServiceStatus[], paint: Paint): string {
  if (services.length === 0) return 'No services are selected.\n'
  const titles = ['HOST', 'SERVICE', 'KIND', 'STATE', 'DESIRED', 'PORT', 'PID', 'WARM', 'HEALTH', 'VERSION']
  const head = titles.map((title) => paint(['dim'], title))
  const rows = services.map((one) => [
    one.host,
    paint(['bold'], one.service),
    kindWords(one.kind),
    paint([stateStyles[one.state]], one.state),
    paint([isAsWanted(one) ? 'dim' : 'yellow'], one.wanted),
    String(one.port),
    one.pid === null ? '-' : String(one.pid),
    one.warm ?? '-',
    one.health ?? '-',
    versionWords(one),
  ])
  const [first = '', ...lines] = renderTable(head, rows, paint).trimEnd().split('\n')
  const noted = services.flatMap((one, index) => [lines[index] ?? '', ...one.notes.map((note) => noteLine(note, paint))])
  return `${[first, ...noted].join('\n')}\n`
}

/** Below its service: a note is longer than what is left of a line. */
function noteLine(note: string, paint: Paint): string {
  return paint(['dim'], `    ${paint.hang}${note}`)
}

/** `b6123`: the build without its commit. */
function versionWords({ version, image }: ServiceStatus): string {
  return version?.replace(/^(b\d+)-.*/s, '$1') ?? image ?? '-'
}

/** An unknown state counts as wanted: nothing contradicts it. */
export function isAsWanted(one: ServiceStatus): boolean {
  if (one.state === 'unknown' || one.state === 'unreachable') return true
  if (one.wanted === 'running') return one.state === 'running'
  return one.state === 'stopped' || one.state === 'not-loaded'
}
