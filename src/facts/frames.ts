import { defined } from '../lib/defined.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import type { Section } from './fact.ts'

/** Output of a host, split at the probe's markers. */
export interface Frames {
  readonly sections: ReadonlyMap<string, Observed<Section>>
  /** The probe ran to its end, and the part that it sends in one piece is complete. */
  readonly complete: boolean
  /** The section in which the output stops. */
  readonly cutIn?: string
}

/**
 * Sections are `NONCE begin NAME`, any text, `NONCE end NAME STATUS`, each marker on its own line after a line break, on stdout; the same
 * `begin` lines on stderr give each section its own messages. Text outside of them (a banner, output of a login script) is ignored. A
 * section that came twice, or contains another, is unknown: it is unclear which one is true. What ends after `NONCE again` replaces what came
 * before.
 */
export function readFrames(stdout: string, stderr: string, nonce: string): Frames {
  const messages = wordsBySection(stderr, nonce)
  const markers = findMarkers(stdout, nonce)
  const again = markers.findIndex(({ verb }) => verb === 'again')
  const complete = ['whole', 'done'].every((verb) => markers.some((marker) => marker.verb === verb))
  if (again < 0) return { ...sectionsIn(markers, stdout, messages), complete }
  const first = sectionsIn(markers.slice(0, again), stdout, messages)
  const { sections, cutIn } = sectionsIn(markers.slice(again + 1), stdout, messages)
  if (cutIn !== undefined && first.sections.has(cutIn)) sections.delete(cutIn)
  return { sections: new Map([...first.sections, ...sections]), complete, ...defined({ cutIn }) }
}

interface Read {
  readonly sections: Map<string, Observed<Section>>
  readonly cutIn?: string
}

function sectionsIn(markers: readonly Marker[], stdout: string, messages: ReadonlyMap<string, string>): Read {
  const sections = new Map<string, Observed<Section>>()
  let cutIn: string | undefined
  for (const [index, marker] of markers.entries()) {
    if (marker.verb !== 'begin') continue
    const end = markers[index + 1]
    const isEnded = end?.verb === 'end' && end.name === marker.name
    if (sections.has(marker.name)) sections.set(marker.name, twice)
    else if (isEnded) sections.set(marker.name, sectionBetween(marker, end, stdout, messages.get(marker.name) ?? ''))
    else {
      cutIn = marker.name
      sections.set(marker.name, unknown('timed-out', 'its answer did not end'))
    }
  }
  for (const name of endedTwice(markers)) sections.set(name, twice)
  return { sections, ...defined({ cutIn }) }
}

function sectionBetween(begin: Marker, end: Marker, text: string, stderr: string): Observed<Section> {
  if (hasTooManyLines(text, begin.end, end.start)) return unknown('unreadable', `it has more than ${mostLines} lines`)
  // A lost status is not 0; and between two markers there is at least the line break that starts each of them.
  if (end.status === undefined || end.start < begin.end) return unknown('unreadable', 'its exit status is missing')
  return known({ status: end.status, text: text.slice(begin.end, end.start), stderr })
}

/** A parsed line takes a hundred times its bytes in memory; no host has so many. */
const mostLines = 100_000

function hasTooManyLines(text: string, start: number, end: number): boolean {
  let lines = 0
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1))
    if (++lines > mostLines) return true
  return false
}

const twice = unknown('unreadable', 'its answer came twice')

function endedTwice(markers: readonly Marker[]): ReadonlySet<string> {
  const ended = new Set<string>()
  const again = new Set<string>()
  for (const { verb, name } of markers) {
    if (verb !== 'end') continue
    if (ended.has(name)) again.add(name)
    ended.add(name)
  }
  return again
}

interface Marker {
  readonly verb: string
  readonly name: string
  /** Exit status of an end marker; undefined: its line has none. */
  readonly status: number | undefined
  /** Start of its line, including the line break before it, and of the next line. */
  readonly start: number
  readonly end: number
}

function findMarkers(text: string, nonce: string): readonly Marker[] {
  const markers: Marker[] = []
  const lead = `\n${nonce} `
  for (let at = text.indexOf(lead); at >= 0; at = text.indexOf(lead, at + 1)) {
    const lineEnd = text.indexOf('\n', at + lead.length)
    if (lineEnd < 0) break
    const [verb = '', ...words] = text.slice(at + lead.length, lineEnd).split(' ')
    const last = verb === 'end' && words.length > 1 ? words.pop() : undefined
    const status = /^\d{1,3}$/.test(last ?? '') ? Number(last) : undefined
    markers.push({ verb, name: words.join(' '), status, start: at, end: lineEnd + 1 })
  }
  return markers
}

function wordsBySection(stderr: string, nonce: string): ReadonlyMap<string, string> {
  const markers = findMarkers(stderr, nonce)
  return new Map(
    markers.map((marker, index) => [marker.name, stderr.slice(marker.end, markers[index + 1]?.start ?? stderr.length)]),
  )
}
