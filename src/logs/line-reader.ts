import type { LogSource } from '../managers/supervisor.ts'
import type { LogLine } from '../model/log-line.ts'

/** Takes the notation of a source off a line. Undefined: it is to be left out. A text alone: the client of the source says it, not the server. */
export type LineReader = (text: string) => LogLine | string | undefined

/** A reader for one source, which remembers its earlier lines. */
export function lineReader({ in: place }: LogSource): LineReader {
  return { file: () => (text: string) => ({ text }), container: containerLines, journal: journalLines }[place]()
}

const stamped = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))(?: (.*))?$/s

/** `docker logs --timestamps`. After `=resume` come lines again that were shown before; times of one width compare as texts. */
function containerLines(): LineReader {
  let last = ''
  let isAgain = false
  return (line) => {
    if (line === '=resume') {
      isAgain = true
      return undefined
    }
    const [, time, text = ''] = stamped.exec(line) ?? []
    if (time === undefined) return line
    if (isAgain && time <= last) return undefined
    isAgain = false
    last = time
    return { time, text }
  }
}

/** `-o short-unix --no-hostname`; further lines of an entry are indented as far as its text. */
function journalLines(): LineReader {
  let time: string | undefined
  let indent = ''
  return (line) => {
    const [head, seconds, micros = ''] = /^(\d{1,11})\.(\d{6}) (?:\S+\[\d+\]|\S+?): /.exec(line) ?? []
    if (head === undefined)
      return { ...(time === undefined ? {} : { time }), text: line.startsWith(indent) ? line.slice(indent.length) : line }
    time = `${new Date(Number(seconds) * 1000).toISOString().slice(0, -4)}${micros}Z`
    indent = ' '.repeat(head.length)
    return { time, text: line.slice(head.length) }
  }
}
