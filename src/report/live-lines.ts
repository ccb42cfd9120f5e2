import { fitText } from './fit-text.ts'
import { busyWords, memoryWords, noteOf, rateWords } from './live-row.ts'
import { type LiveHost, type LiveLook, type LiveService, stateWord } from './live-status.ts'

/** Untrusted text as one visible line, without secrets. */
type Show = (text: string) => string

/** Widths follow the first look; later ones keep them. */
export interface LineLayout {
  readonly host: number
  readonly service: number
}

export function lineLayout({ hosts }: LiveLook, show: Show): LineLayout {
  const longest = (title: string, texts: readonly string[]) => Math.max(title.length, ...texts.map((text) => show(text).length))
  return {
    host: longest(
      'HOST',
      hosts.map(({ host }) => host),
    ),
    service: longest(
      'SERVICE',
      hosts.flatMap(({ services }) => services.map(({ service }) => service)),
    ),
  }
}

/**
 * Lines for a file or a pipe: at first all services, then a line for each that changed, as `kubectl get -w`. Figures that change all the time (memory,
 * tokens) are in the lines, but cause none.
 *
 * @param before absent: the first look
 */
export function liveLines(look: LiveLook, before: LiveLook | undefined, layout: LineLayout, show: Show): readonly string[] {
  const earlier = new Map(before?.hosts.map((host) => [host.host, host]))
  const rows = look.hosts.flatMap((host) =>
    changesOf(host, earlier.get(host.host)).map((words) => line(look.at, words, layout, show)),
  )
  return before === undefined ? [line('TIME', titles, layout, show), ...rows] : rows
}

const titles: Cells = ['HOST', 'SERVICE', 'STATE', 'WARM', 'BUSY', 'TOK/S', 'MEMORY', 'NOTE']
const widths = [11, 7, 5, 6, 15] as const

type Cells = readonly [host: string, service: string, ...rest: string[]]

function changesOf(host: LiveHost, before: LiveHost | undefined): readonly Cells[] {
  const trouble = host.problem?.summary ?? ''
  const sameTrouble = trouble === (before?.problem?.summary ?? '')
  if (host.problem !== null && before !== undefined)
    return sameTrouble ? [] : [[host.host, '-', 'unreachable', '-', '-', '-', '-', trouble]]
  const earlier = new Map(before?.services.map((one) => [one.service, eventOf(one)]))
  const changed = host.services.filter((one) => !sameTrouble || earlier.get(one.service) !== eventOf(one))
  return changed.map((one) => [
    host.host,
    one.service,
    stateWord(one),
    one.warm ?? '-',
    busyWords(one),
    rateWords(one),
    memoryWords(one),
    noteOf(one),
  ])
}

/** What makes a line. */
function eventOf(one: LiveService): string {
  return JSON.stringify([one.state, one.health, one.warm, one.pid, noteOf(one)])
}

function line(at: string, [host, service, ...rest]: Cells, layout: LineLayout, show: Show): string {
  const cells = rest.map((text, index) => fitText(show(text), widths[index] ?? 0))
  const note = show(rest.at(-1) ?? '')
  const time = at.replace(/\.\d+Z$/, 'Z').padEnd(20)
  return [time, fitText(show(host), layout.host), fitText(show(service), layout.service), ...cells.slice(0, -1), note]
    .join('  ')
    .trimEnd()
}
