import { assertNever } from '../errors/assert-never.ts'
import type { FetchedFile, RunEvent } from '../model/event.ts'
import type { Display } from './display.ts'
import { actionName, batchWords, fetchWords, firstLine, phaseWords, resultWords, smokeWords } from './event-words.ts'
import { plainProgress } from './file-words.ts'

export interface PlainOptions {
  readonly stream: { write(text: string): unknown }
  /** Milliseconds; only differences matter. */
  readonly now: () => number
}

/** Otherwise a server that loads for an hour fills the log. */
const noteEveryMs = 30_000

/**
 * One line per event of interest, `host | service | …`, for CI and for stderr that is not a terminal. Hosts whose facts were gathered have
 * no line.
 */
export function createPlainDisplay({ stream, now }: PlainOptions): Display {
  const isDue = rationed(now)
  let gathering: Gathering | undefined
  let files: readonly FetchedFile[] = []
  const line = (...parts: readonly string[]): void => void stream.write(`${parts.filter((part) => part !== '').join(' | ')}\n`)
  const showFleetEvent = (event: Exclude<RunEvent, HostEvent>): void => {
    switch (event.type) {
      case 'phase':
        gathering = gatheringPhases.has(event.phase) ? { left: event.hosts.length, failed: [] } : undefined
        return line(phaseWords(event.phase, event.hosts))
      case 'batch-started':
        return event.count === 1 ? undefined : line(batchWords(event), listed(event.hosts))
      case 'fetch-started':
        files = event.files
        return line(fetchWords(files.length))
      case 'file-progress': {
        const file = files[event.file]
        if (file === undefined || event.state === 'waiting' || !isDue(noteKey(event))) return undefined
        return line(file.host, file.service, file.name, plainProgress(file, event))
      }
      case 'finished':
        return undefined
      default:
        return assertNever(event)
    }
  }
  const emit = (event: RunEvent): void => {
    if (!('host' in event)) showFleetEvent(event)
    else if (event.type === 'host-finished' && gathering !== undefined) finishGathering(gathering, event, line)
    else if (event.type !== 'host-started' && isDue(noteKey(event))) line(event.host, ...wordsOf(event))
  }
  return { emit, stop: async () => undefined }
}

/** Whether an event with this key is due again; without a key it always is. */
function rationed(now: PlainOptions['now']): (key: string | undefined) => boolean {
  const shown = new Map<string, number>()
  return (key) => {
    if (key === undefined) return true
    if (now() - (shown.get(key) ?? Number.NEGATIVE_INFINITY) < noteEveryMs) return false
    shown.set(key, now())
    return true
  }
}

const gatheringPhases: ReadonlySet<string> = new Set(['gather', 'second-plan'])

/** The subject of an event that repeats; undefined: it does not repeat. */
function noteKey(event: RunEvent): string | undefined {
  if (event.type === 'waiting') return event.action
  if (event.type === 'smoke-progress') return `${event.host}/${event.service}`
  if (event.type !== 'file-progress') return undefined
  const isEnd = event.state === 'done' || event.state === 'failed' || event.state === 'stopped'
  return isEnd ? `file ${event.file} ${event.state}` : `file ${event.file}`
}

type HostEvent = Extract<RunEvent, { readonly host: string }>
type HostFinished = Extract<RunEvent, { readonly type: 'host-finished' }>

/** The words after the host's name. */
function wordsOf(event: Exclude<HostEvent, { readonly type: 'host-started' }>): readonly string[] {
  switch (event.type) {
    case 'host-note':
      return [event.note]
    case 'action-started':
      return [actionName(event.action).service, `${actionName(event.action).kind}: ${event.reason}`]
    case 'step-started':
      return [actionName(event.action).service, event.label]
    case 'action-finished': {
      const { service, kind } = actionName(event.result.action)
      return [service, `${kind} ${resultWords(event.result)}`, firstLine(event.result.problem?.why ?? '')]
    }
    case 'waiting':
      return [actionName(event.action).service, event.note]
    case 'smoke-progress':
      return [event.service, event.note]
    case 'smoke-finished':
      return [event.result.service, smokeWords(event.result)]
    case 'host-finished':
      return [endWords(event)]
    default:
      return assertNever(event)
  }
}

interface Gathering {
  left: number
  readonly failed: string[]
}

function finishGathering(gathering: Gathering, event: HostFinished, line: (...parts: readonly string[]) => void): void {
  gathering.left -= 1
  if (!event.ok) {
    gathering.failed.push(event.host)
    line(event.host, endWords(event))
  }
  if (gathering.left === 0 && gathering.failed.length > 0)
    line(`${gathering.failed.length} unreachable: ${gathering.failed.join(', ')}`)
}

const mostNames = 20

/** The names of a few hosts; a single name is in the line already. */
function listed(hosts: readonly string[]): string {
  return hosts.length === 1 || hosts.length > mostNames ? '' : hosts.join(', ')
}

function endWords({ ok, note, problem }: HostFinished): string {
  if (ok) return note
  return `failed: ${problem === undefined ? note : `${problem.code} ${problem.summary}`}`
}
