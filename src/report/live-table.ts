import { cutText, fitText } from './fit-text.ts'
import { headText, hostText, isHostOld, type LiveLayout, liveLayout, noteOf, rowText } from './live-row.ts'
import { type LiveHost, type LiveLook, type LiveService, summaryOf } from './live-status.ts'
import type { Paint } from './paint.ts'

/** What a person sees of a look. */
export interface LiveView {
  readonly columns: number
  readonly rows: number
  /** Index among all services. */
  readonly selected: number
  /** The first line of the table that is shown. */
  readonly top: number
  readonly help: boolean
  /** The last thing that was said meanwhile. */
  readonly notice: string
}

export interface LivePaint {
  readonly paint: Paint
  /** Untrusted text as one visible line, without secrets. */
  readonly show: (text: string) => string
  readonly inventory: string
  /** `14:03:27`, as the person's clock shows it. */
  readonly time: (at: string) => string
}

export interface LiveFrame {
  readonly lines: readonly string[]
  /** The `top` that shows the selected service. */
  readonly top: number
}

interface TableLine {
  readonly host: LiveHost
  /** Absent: the line of the host. */
  readonly service?: LiveService
  readonly index: number
}

/** Lines above and below the table. */
const around = 4
const leastRows = 3

/** One screen: summary, table and keys, at most `rows` lines of at most `columns` columns. */
export function liveFrame(look: LiveLook, view: LiveView, how: LivePaint): LiveFrame {
  const all = linesOf(look)
  const room = Math.max(leastRows, view.rows - around)
  const top = topFor(all, view, room)
  const body = view.help ? helpLines : tableText(all, { ...view, top }, { look, how, room })
  const blank = Array.from({ length: Math.max(0, room - body.length) }, () => '')
  const lines = [
    headline(look, view, how),
    '',
    ...body.slice(0, room).map((line) => (view.help ? cutText(line, view.columns) : line)),
    ...blank,
    detail(all, view, how),
    how.paint(['dim'], cutText(view.notice === '' ? keys(all, view, room, top) : how.show(view.notice), view.columns)),
  ]
  return { lines: lines.slice(0, view.rows), top }
}

function linesOf({ hosts }: LiveLook): readonly TableLine[] {
  let index = 0
  return hosts.flatMap((host): readonly TableLine[] => [
    { host, index: -1 },
    ...host.services.map((service) => ({ host, service, index: index++ })),
  ])
}

export function serviceCount({ hosts }: LiveLook): number {
  return hosts.reduce((sum, { services }) => sum + services.length, 0)
}

/** The service at an index over all hosts. */
export function serviceAt(look: LiveLook, index: number): LiveService | undefined {
  return look.hosts.flatMap(({ services }) => services)[index]
}

/** Scrolls as little as possible; the line of its host stays above the selected service. */
function topFor(all: readonly TableLine[], { selected, top }: LiveView, room: number): number {
  const at = Math.max(
    0,
    all.findIndex(({ index }) => index === selected),
  )
  const shown = room - 1
  const first = Math.min(top, Math.max(0, at - 1))
  return Math.max(0, Math.min(Math.max(first, at - shown + 1), all.length - shown))
}

interface Table {
  readonly look: LiveLook
  readonly how: LivePaint
  readonly room: number
}

function tableText(all: readonly TableLine[], view: LiveView, { look, how, room }: Table): readonly string[] {
  const names = all.flatMap(({ service }) => (service === undefined ? [] : [how.show(service.service)]))
  const layout = liveLayout(view.columns, names)
  const shown = all.slice(view.top, view.top + room - 1)
  const [first] = shown
  // The first line belongs to a host above it.
  const rows = first?.service === undefined ? shown : [{ host: first.host, index: -1 }, ...shown.slice(1)]
  return [headText(layout, how.paint), ...rows.map((line) => lineText(line, layout, { look, view, how }))]
}

function lineText(
  { host, service, index }: TableLine,
  layout: LiveLayout,
  { look, view, how }: { readonly look: LiveLook; readonly view: LiveView; readonly how: LivePaint },
): string {
  const { paint, show } = how
  if (service === undefined) return hostText(host, { at: look.at, width: view.columns, paint, show })
  return rowText(service, layout, { paint, show, isSelected: index === view.selected, isOld: isHostOld(host, look.at) })
}

function headline(look: LiveLook, { columns }: LiveView, { paint, show, inventory, time }: LivePaint): string {
  const at = time(look.at)
  const left = fitText(`${summaryOf(look)}   ${show(inventory)}`, Math.max(0, columns - at.length - 2))
  return `${paint(['bold'], left)}  ${at}`
}

function detail(all: readonly TableLine[], { selected, columns }: LiveView, { paint, show }: LivePaint): string {
  const line = all.find(({ index }) => index === selected)
  if (line?.service === undefined) return ''
  const { service, host, kind, manager, port, pid, wanted } = line.service
  const words = [
    `${service}@${host}`,
    `kind ${kind}`,
    manager,
    `port ${port}`,
    ...(pid === null ? [] : [`pid ${pid}`]),
    `wanted ${wanted}`,
    ...(line.host.problem === null ? [] : [line.host.problem.why]),
    noteOf({ ...line.service, wanted: 'running', state: 'running' }),
  ]
  return paint(['cyan'], cutText(show(words.filter((word) => word !== '').join(' · ')), columns))
}

function keys(all: readonly TableLine[], { selected }: LiveView, room: number, top: number): string {
  const services = all.filter(({ service }) => service !== undefined).length
  const part = all.length > room - 1 ? `${selected + 1} of ${services}${top + room - 1 < all.length ? ' ↓' : ''}  ` : ''
  return `${part}↑↓ select  l logs  r restart  o report  ? help  q quit`
}

const helpLines = [
  '↑ ↓ PgUp PgDn    select a service (also k, j, Home, End)',
  'l                follow the log of the selected service; Ctrl-C returns',
  'r                restart the selected service; asks first',
  'o                write a status page to a new file',
  '?                close this help',
  'q                quit',
  '',
  'STATE            ready, loading, no-answer or failing if it runs; otherwise as its supervisor says',
  'WARM             whether it has its cache (kind B), or is ready (kind A)',
  'BUSY             requests that it works on or that wait, of how many it takes at a time',
  'TOK/S            tokens per second that it wrote since the last look, over all requests',
  'MEMORY           memory of its processes, of its RAM budget or else of its host',
  '',
  'Dimmed rows are old: their host does not answer. The line of the host says since when.',
]
