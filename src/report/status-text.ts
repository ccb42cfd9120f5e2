import type { ServerKindName } from '../model/names.ts'
import { kindWords } from '../servers/traits.ts'
import type { Paint, PaintStyle } from './paint.ts'
import { renderTable } from './table.ts'

/** One service as `converge status --json` tells it. `null`: not known, or there is none. */
export interface ServiceStatus {
  readonly host: string
  readonly service: string
  readonly kind: ServerKindName
  readonly manager: string
  readonly wanted: 'running' | 'stopped' | 'absent'
  readonly state: 'running' | 'paused' | 'stopped' | 'failed' | 'not-loaded' | 'unknown' | 'unreachable'
  /** Where it listens; while it does not run, the port it wants. */
  readonly port: number
  readonly pid: number | null
  readonly warm: 'warm' | 'cold' | 'unknown' | null
  readonly health: 'ready' | 'loading' | 'no-answer' | 'failing' | 'unknown' | null
  /** Where it is worth saying: exit code, restarts, why something is not known. */
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

/** One line per service. */
export function renderStatus(services: readonly ServiceStatus[], paint: Paint): string {
  if (services.length === 0) return 'No services are selected.\n'
  const head = [
    ...['HOST', 'SERVICE', 'KIND', 'STATE', 'PORT', 'PID', 'WARM', 'HEALTH'].map((title) => paint(['dim'], title)),
    '',
  ]
  const rows = services.map((one) => [
    one.host,
    paint(['bold'], one.service),
    kindWords(one.kind),
    paint([stateStyles[one.state]], one.state) + (isAsWanted(one) ? '' : paint(['yellow'], ` (wanted: ${one.wanted})`)),
    String(one.port),
    one.pid === null ? '-' : String(one.pid),
    one.warm ?? '-',
    one.health ?? '-',
    one.notes.length === 0 ? '' : paint(['dim'], one.notes.join('; ')),
  ])
  return renderTable(head, rows, paint)
}

/** Of what is not known, nothing says that it is not. */
export function isAsWanted(one: ServiceStatus): boolean {
  if (one.state === 'unknown' || one.state === 'unreachable') return true
  if (one.wanted === 'running') return one.state === 'running'
  return one.state === 'stopped' || one.state === 'not-loaded'
}
