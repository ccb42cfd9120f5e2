import { known, type Observed, unknown } from '../model/observed.ts'
import type { Section } from './fact.ts'

/** What a host printed, taken apart at the probe's markers. */
export interface Frames {
  readonly sections: ReadonlyMap<string, Observed<Section>>
  /** The probe came to its own end, and nothing of what it sent in one piece was lost. */
  readonly complete: boolean
  /** The section in which the output stops, when it stops inside one. */
  readonly cutIn?: string
}

/**
 * Sections are `NONCE begin NAME`, any text, `NONCE end NAME STATUS`, each marker on a line of its own with a line break before it,
 * on stdout; the same `begin` lines on stderr give each section its own words. What stands outside (a banner, what a login
 * script prints) is nobody's. A section that came twice, or with another inside it, is not known: which of the two is true cannot be told.
 */
export function readFrames(stdout: string, stderr: string, nonce: string): Frames {
  const words = wordsBySection(stderr, nonce)
  const sections = new Map<string, Observed<Section>>()
  const markers = findMarkers(stdout, nonce)
  let cutIn: string | undefined
  for (const [index, marker] of markers.entries()) {
    if (marker.verb !== 'begin') continue
    const end = markers[index + 1]
    const isEnded = end?.verb === 'end' && end.name === marker.name
    if (sections.has(marker.name)) sections.set(marker.name, twice)
    else if (isEnded) sections.set(marker.name, sectionBetween(marker, end, stdout, words.get(marker.name) ?? ''))
    else {
      cutIn = marker.name
      sections.set(marker.name, unknown('timed-out', 'its answer did not end'))
    }
  }
  for (const name of endedTwice(markers)) sections.set(name, twice)
  const complete = ['whole', 'done'].every((verb) => markers.some((marker) => marker.verb === verb))
  return cutIn === undefined ? { sections, complete } : { sections, complete, cutIn }
}

function sectionBetween(begin: Marker, end: Marker, text: string, stderr: string): Observed<Section> {
  if (hasTooManyLines(text, begin.end, end.start)) return unknown('unreadable', `it has more than ${mostLines} lines`)
  // A status that was lost is none of 0; and between two markers there is at least the line break that each begins with.
  if (end.status === undefined || end.start < begin.end) return unknown('unreadable', 'how it ended did not arrive whole')
  return known({ status: end.status, text: text.slice(begin.end, end.start), stderr })
}

/** Taken apart, a line costs a hundred times its bytes; no host has so many to tell. */
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
  /** Of an end marker; undefined: there is none in its line. */
  readonly status: number | undefined
  /** Where its line begins, the line break before it included, and where the next line begins. */
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
