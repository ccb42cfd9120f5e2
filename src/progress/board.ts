import { assertNever } from '../errors/assert-never.ts'
import type { RunEvent } from '../model/event.ts'
import { actionName, firstLine, resultWords, smokeWords } from './event-words.ts'

/** One line of live progress. */
export interface Row {
  readonly key: string
  readonly text: string
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'skipped'
}

/** The rows of one list of hosts: a row for each, or one row that counts them. Pure: it knows no terminal. */
export interface Board {
  readonly rows: () => readonly Row[]
  /** @returns whether anything changed */
  readonly apply: (event: RunEvent) => boolean
  /** Marks all open rows as not done. */
  readonly close: () => void
  /** The names of all failed hosts, where one row counts them. Empty, or whole lines. */
  readonly epilogue: () => string
}

interface HostLine {
  state: Row['state']
  text: string
}

export function createBoard(hosts: readonly string[], maxRows: number): Board {
  const lines = new Map<string, HostLine>(hosts.map((host) => [host, { state: 'waiting', text: '' }]))
  const width = Math.max(...hosts.map((host) => host.length))
  const apply = (event: RunEvent): boolean => {
    if (!('host' in event)) return false
    const line = lines.get(event.host)
    if (line === undefined || isOver(line.state)) return false
    Object.assign(line, after(event))
    return true
  }
  const close = (): void => {
    for (const line of lines.values()) if (!isOver(line.state)) Object.assign(line, { state: 'skipped', text: 'not done' })
  }
  const each = () => [...lines].map(([key, { state, text }]) => ({ key, state, text: `${key.padEnd(width)}  ${text}`.trimEnd() }))
  const rows = () => (hosts.length <= maxRows ? each() : [counted([...lines])])
  const epilogue = (): string => {
    const failed = failedHosts([...lines])
    return hosts.length <= maxRows || failed.length === 0 ? '' : `  failed: ${failed.join(', ')}\n`
  }
  return { rows, apply, close, epilogue }
}

type HostEvent = Extract<RunEvent, { readonly host: string }>
type HostFinished = Extract<RunEvent, { readonly type: 'host-finished' }>

/** The line of a host after an event about it. */
function after(event: HostEvent): HostLine {
  if (event.type !== 'host-finished') return { state: 'running', text: atWork(event) }
  return { state: event.ok ? 'done' : 'failed', text: firstLine(event.problem?.summary ?? event.note) }
}

function atWork(event: Exclude<HostEvent, HostFinished>): string {
  switch (event.type) {
    case 'host-started':
      return ''
    case 'host-note':
      return event.note
    case 'action-started':
      return named(event.action, event.reason)
    case 'step-started':
      return named(event.action, event.label)
    case 'waiting':
      return named(event.action, event.note)
    case 'action-finished':
      return named(event.result.action, resultWords(event.result))
    case 'smoke-progress':
      return `${event.service}: ${event.note}`
    case 'smoke-finished':
      return `${event.result.service}: ${smokeWords(event.result)}`
    default:
      return assertNever(event)
  }
}

function named(action: string, text: string): string {
  return `${actionName(action).service}: ${text}`
}

/** The row is final. */
export function isOver(state: Row['state']): boolean {
  return state === 'done' || state === 'failed' || state === 'skipped'
}

function failedHosts(lines: readonly (readonly [string, HostLine])[]): readonly string[] {
  return lines.filter(([, line]) => line.state === 'failed').map(([host]) => host)
}

const namedFailures = 5

/** `120 of 200 done, 32 running, 2 failed: nas7, nas9`; only failed hosts have names. */
function counted(lines: readonly (readonly [string, HostLine])[]): Row {
  const count = (state: Row['state']) => lines.filter(([, line]) => line.state === state).length
  const failed = failedHosts(lines)
  const more = failed.length > namedFailures ? ` and ${failed.length - namedFailures} more` : ''
  const parts = [
    `${count('done')} of ${lines.length} done`,
    ...(count('running') > 0 ? [`${count('running')} running`] : []),
    ...(count('skipped') > 0 ? [`${count('skipped')} skipped`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed: ${failed.slice(0, namedFailures).join(', ')}${more}`] : []),
  ]
  const over = lines.every(([, line]) => isOver(line.state))
  const state = over ? (failed.length > 0 ? 'failed' : 'done') : 'running'
  return { key: 'all', text: parts.join(', '), state }
}
