import { duration } from './duration.ts'
import { fitText, widthOf } from './fit-text.ts'
import { type LiveHost, type LiveService, type Mood, moodOf, stateWord } from './live-status.ts'
import type { Paint, PaintStyle } from './paint.ts'

/** One column of the live table. */
interface Column {
  readonly title: string
  readonly width: number
  readonly side: 'left' | 'right'
  /** Where there is no room for all, the highest goes first. */
  readonly rank: number
  readonly text: (service: LiveService) => string
  readonly style?: (service: LiveService) => PaintStyle | undefined
}

const moodStyles: Readonly<Record<Mood, PaintStyle>> = { good: 'green', waiting: 'yellow', bad: 'red', off: 'dim' }

const columns: readonly Column[] = [
  { title: 'STATE', width: 11, side: 'left', rank: 0, text: stateWord, style: (one) => moodStyles[moodOf(one)] },
  { title: 'WARM', width: 7, side: 'left', rank: 3, text: ({ warm }) => warm ?? '-' },
  {
    title: 'BUSY',
    width: 5,
    side: 'right',
    rank: 2,
    text: busyWords,
    style: ({ busy }) => ((busy ?? 0) > 0 ? 'cyan' : undefined),
  },
  { title: 'TOK/S', width: 6, side: 'right', rank: 4, text: rateWords },
  { title: 'MEMORY', width: 15, side: 'right', rank: 1, text: memoryWords, style: memoryStyle },
  { title: 'UP', width: 8, side: 'right', rank: 5, text: ({ upS }) => (upS === null ? '-' : duration(upS * 1000)) },
]

const gap = '  '
const leastName = 8
/** A longer one is cut before a column goes. */
const shortName = 16
const widestName = 32
const leastNote = 12

/** Which columns a terminal has room for. */
export interface LiveLayout {
  readonly columns: readonly Column[]
  readonly name: number
  /** 0: no room. */
  readonly note: number
}

/** @param names the services, for the width of the first column */
export function liveLayout(width: number, names: readonly string[]): LiveLayout {
  const wanted = Math.min(widestName, Math.max(leastName, ...names.map(widthOf)))
  const ranked = columns.toSorted((a, b) => a.rank - b.rank)
  const isFit = (count: number) => widthBeside(ranked.slice(0, count)) + Math.min(wanted, shortName) <= width
  const fitting = Math.max(1, ranked.findLastIndex((_, index) => isFit(index + 1)) + 1)
  const shown = columns.filter(({ rank }) => rank < fitting)
  const beside = widthBeside(shown)
  const name = Math.max(leastName, Math.min(wanted, width - beside))
  const note = width - beside - name - gap.length
  return { columns: shown, name, note: note >= leastNote ? note : 0 }
}

function widthBeside(shown: readonly Column[]): number {
  return shown.reduce((sum, { width }) => sum + gap.length + width, mark.length)
}

/** Before a service; the selected one has a sign there. */
const mark = '  '

export function headText({ columns: shown, name, note }: LiveLayout, paint: Paint): string {
  const titles = [
    fitText('SERVICE', name),
    ...shown.map(({ title, width, side }) => fitText(title, width, side)),
    ...(note > 0 ? ['NOTE'] : []),
  ]
  return paint(['dim'], `${mark}${titles.join(gap)}`)
}

export interface RowLook {
  readonly paint: Paint
  /** Untrusted text as one visible line. */
  readonly show: (text: string) => string
  readonly isSelected: boolean
  /** Its host does not answer now. */
  readonly isOld: boolean
}

export function rowText(service: LiveService, layout: LiveLayout, { paint, show, isSelected, isOld }: RowLook): string {
  const name = fitText(show(service.service), layout.name)
  const cells = layout.columns.map(({ text, width, side, style }) => {
    const cell = fitText(text(service), width, side)
    const own = style?.(service)
    return own === undefined || isOld ? cell : paint([own], cell)
  })
  const note = layout.note > 0 ? [fitText(show(noteOf(service)), layout.note).trimEnd()] : []
  const row = [isSelected ? paint(['bold'], name) : name, ...cells, ...note].join(gap)
  return `${isSelected ? '› ' : mark}${isOld ? paint(['dim'], row) : row}`
}

/** What differs from the inventory, then the notes. */
export function noteOf({ wanted, state, notes }: LiveService): string {
  const differs = state !== 'unknown' && state !== 'unreachable' && (wanted === 'running') !== (state === 'running')
  return [...(differs ? [`wanted ${wanted}`] : []), ...notes].join('; ')
}

/** `mini   21.4/32.0 GiB used`, `nas   out of reach for 45s: …` */
export function hostText(host: LiveHost, { at, width, paint, show }: HostLook): string {
  const name = show(host.host)
  const words = hostWords(host, at)
  const rest = fitText(show(words), Math.max(0, width - name.length - 2)).trimEnd()
  const style: PaintStyle = host.problem !== null ? 'red' : isHostOld(host, at) ? 'yellow' : 'dim'
  return `${paint(['bold'], fitText(name, Math.min(width, name.length)))}${gap}${paint([style], rest)}`
}

export interface HostLook extends Pick<RowLook, 'paint' | 'show'> {
  /** Of the look; ISO 8601. */
  readonly at: string
  readonly width: number
}

function hostWords(host: LiveHost, at: string): string {
  const { problem, seenAt, nextTryAt, usedBytes, totalBytes } = host
  const since = seenAt === null ? '' : ` for ${seconds(Date.parse(at) - Date.parse(seenAt))}`
  if (problem !== null) {
    const left = nextTryAt === null ? 0 : Date.parse(nextTryAt) - Date.parse(at)
    const next = left < 1000 ? 'trying again' : `next try in ${seconds(left)}`
    const what = problem.code.startsWith('CONNECT.') ? 'out of reach' : 'not observed'
    return `${what}${since}: ${problem.summary.replace(/\.$/, '')} (${next})`
  }
  if (seenAt === null) return 'looking for the first time'
  if (isHostOld(host, at)) return `no answer${since}`
  return usedBytes === null || totalBytes === null ? 'memory unknown' : `${gib(usedBytes, totalBytes)} used`
}

/** Longer than any look takes. */
const oldMs = 15_000

export function isHostOld({ problem, seenAt }: LiveHost, at: string): boolean {
  return problem !== null || seenAt === null || Date.parse(at) - Date.parse(seenAt) > oldMs
}

function seconds(ms: number): string {
  return duration(Math.max(0, Math.round(ms / 1000)) * 1000)
}

export function busyWords({ busy, slots }: LiveService): string {
  if (busy === null) return '-'
  return slots === null ? String(busy) : `${busy}/${slots}`
}

export function rateWords({ tokensPerS, busy }: LiveService): string {
  if (tokensPerS === null || (busy === 0 && tokensPerS === 0)) return '-'
  return tokensPerS.toFixed(tokensPerS < 100 ? 1 : 0)
}

export function memoryWords({ residentBytes, limitBytes }: LiveService): string {
  if (residentBytes === null) return '-'
  return limitBytes === null ? `${inGib(residentBytes)} GiB` : gib(residentBytes, limitBytes)
}

function memoryStyle({ residentBytes, limitBytes }: LiveService): PaintStyle | undefined {
  if (residentBytes === null || limitBytes === null || residentBytes <= limitBytes * 0.9) return undefined
  return residentBytes > limitBytes ? 'red' : 'yellow'
}

function gib(bytes: number, of: number): string {
  return `${inGib(bytes)}/${inGib(of)} GiB`
}

function inGib(bytes: number): string {
  const value = bytes / 1024 ** 3
  return value.toFixed(value < 99.95 ? 1 : 0)
}
