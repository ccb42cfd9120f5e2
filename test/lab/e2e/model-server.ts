import { setTimeout as sleep } from 'node:timers/promises'
import { type LabHost, mustExec } from '../host.ts'
import { serviceKey } from './site.ts'

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Asks a server from inside its host, as a client there would, past converge. */
export async function ask(
  host: LabHost,
  port: number,
  path: string,
  options: { key?: string; body?: unknown; seconds?: number } = {},
): Promise<Answer> {
  const { key = serviceKey, body, seconds = 20 } = options
  const config = [
    `url = "http://127.0.0.1:${port}${path}"`,
    ...(key === '' ? [] : [`header = ${quoted(`Authorization: Bearer ${key}`)}`]),
    ...(body === undefined ? [] : ['header = "Content-Type: application/json"', `data-raw = ${quoted(JSON.stringify(body))}`]),
  ]
  // On stdin, so that the key is in no process list.
  const said = await mustExec(host, `curl -sS --max-time ${seconds} -w '\\n%{http_code}' --config -`, {
    stdin: config.join('\n'),
  })
  const end = said.lastIndexOf('\n')
  return { status: Number(said.slice(end + 1)), body: parsed(said.slice(0, end)) }
}

export function chat(host: LabHost, port: number, model: string, key?: string): Promise<Answer> {
  const body = { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 2 }
  return ask(host, port, '/v1/chat/completions', key === undefined ? { body } : { body, key })
}

/** A process that keeps its number and its start is the same process. */
export interface ProcessMark {
  readonly pid: number
  readonly start: string
}

/** Of everything whose command line matches, from its first sign on; by number. */
export async function processesOf(host: LabHost, pattern: string): Promise<readonly ProcessMark[]> {
  const found = await mustExec(
    host,
    `for pid in $(pgrep -f -- '${pattern}'); do echo "$pid $(sed 's/.*) //' /proc/$pid/stat 2>/dev/null)"; done`,
  )
  const rows = found.split('\n').map((line) => line.split(' '))
  // Field 22 of all, which is word 20 behind the name.
  return rows
    .flatMap(([pid, ...stat]) => (stat.length < 20 ? [] : [{ pid: Number(pid), start: stat[19] ?? '' }]))
    .toSorted((a, b) => a.pid - b.pid)
}

/** Waits until no command of converge runs on a NAS: what is left after a minute and a half, or nothing. */
export function nothingSentRuns(nas: LabHost): Promise<string> {
  const sent = 'eval "[$]p"|/usr/local/bin/[d]ocker|docker [c]ompose|docker-[c]ompose|docker [s]top'
  return until(
    () => mustExec(nas, `pgrep -fl '${sent}' || :`),
    (seen) => seen === '',
    90_000,
  )
}

/** Waits until something holds; a condition that never does ends in its last answer. */
export async function until<T>(look: () => Promise<T>, holds: (seen: T) => boolean, timeoutMs = 60_000): Promise<T> {
  const end = Date.now() + timeoutMs
  for (;;) {
    const seen = await look()
    if (holds(seen) || Date.now() > end) return seen
    await sleep(200)
  }
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
