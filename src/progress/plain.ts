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

/** A server that loads for an hour would fill the log. */
const noteEveryMs = 30_000

/**
 * One line per event that is worth a line, `host | service | …`, for CI and for stderr that is no terminal. Hosts that were seen
 * without trouble are only counted.
 */
export function createPlainDisplay({ stream, now }: PlainOptions): Display {
  const noted = new Map<string, number>()
  let looking: Looking | undefined
  let files: readonly FetchedFile[] = []
  const line = (...parts: readonly string[]): void => void stream.write(`${parts.filter((part) => part !== '').join(' | ')}\n`)
  const isDue = (key: string): boolean => {
    if (now() - (noted.get(key) ?? Number.NEGATIVE_INFINITY) < noteEveryMs) return false
    noted.set(key, now())
    return true
  }

  const emit = (event: RunEvent): void => {
    switch (event.type) {
      case 'phase':
        looking = event.phase === 'gather' || event.phase === 'second-plan' ? { left: event.hosts.length, failed: [] } : undefined
        return line(phaseWords(event.phase, event.hosts))
      case 'batch-started':
        return event.count === 1 ? undefined : line(batchWords(event), listed(event.hosts))
      case 'host-started':
        return undefined
      case 'host-note':
        return line(event.host, event.note)
      case 'host-finished':
        if (looking !== undefined) return finishLooking(looking, event, line)
        return line(event.host, event.ok ? event.note : `failed: ${failureWords(event)}`)
      case 'action-started':
        return line(event.host, actionName(event.action).service, `${actionName(event.action).kind}: ${event.reason}`)
      case 'step-started':
        return line(event.host, actionName(event.action).service, event.label)
      case 'action-finished': {
        const { service, kind } = actionName(event.result.action)
        return line(event.host, service, `${kind} ${resultWords(event.result)}`, firstLine(event.result.problem?.why ?? ''))
      }
      case 'waiting':
        return isDue(event.action) ? line(event.host, actionName(event.action).service, event.note) : undefined
      case 'smoke-progress':
        return isDue(`${event.host}/${event.service}`) ? line(event.host, event.service, event.note) : undefined
      case 'smoke-finished':
        return line(event.host, event.result.service, smokeWords(event.result))
      case 'fetch-started':
        files = event.files
        return line(fetchWords(files.length))
      case 'file-progress': {
        const file = files[event.file]
        if (file === undefined || event.state === 'waiting') return undefined
        const key = `file ${event.file}`
        const isEnd = event.state === 'done' || event.state === 'failed' || event.state === 'stopped'
        return isDue(isEnd ? `${key} ${event.state}` : key)
          ? line(file.host, file.service, file.name, plainProgress(file, event))
          : undefined
      }
      case 'finished':
        return undefined
      default:
        return assertNever(event)
    }
  }
  return { emit, stop: async () => undefined }
}

interface Looking {
  left: number
  readonly failed: string[]
}

type HostFinished = Extract<RunEvent, { readonly type: 'host-finished' }>

function finishLooking(looking: Looking, event: HostFinished, line: (...parts: readonly string[]) => void): void {
  looking.left -= 1
  if (!event.ok) {
    looking.failed.push(event.host)
    line(event.host, `failed: ${failureWords(event)}`)
  }
  if (looking.left === 0 && looking.failed.length > 0)
    line(`${looking.failed.length} could not be looked at: ${looking.failed.join(', ')}`)
}

const mostNames = 20

/** More names than this are no list any more; one has been said already. */
function listed(hosts: readonly string[]): string {
  return hosts.length === 1 || hosts.length > mostNames ? '' : hosts.join(', ')
}

function failureWords({ note, problem }: HostFinished): string {
  return problem === undefined ? note : `${problem.code} ${problem.summary}`
}
