import { defined } from '../lib/defined.ts'
import type { Container } from '../model/facts.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { strangeOrder } from './fact.ts'
import { lastOutput } from './last-output.ts'

/** Reads what `inspectTemplate` printed, one container after another. */
export function readContainers(
  text: readonly string[],
  logs: ReadonlyMap<string, readonly string[]> = new Map(),
): Observed<readonly Container[]> {
  // The ends of logs come last.
  const end = text.findIndex((line) => line.startsWith('last '))
  const lines = end < 0 ? text : text.slice(0, end)
  const starts = lines.flatMap((line, index) => (/^id [0-9a-f]{12,}$/.test(line) ? [index] : []))
  const containers: Container[] = []
  for (const [index, start] of starts.entries()) {
    const own = lines.slice(start, starts[index + 1])
    const container = strangeOrder(own, order) ?? readContainer(own)
    if (!container.known) return container
    if (containers.some(({ id }) => id === container.value.id)) return unknown('unreadable', 'docker listed one container twice')
    containers.push({ ...container.value, ...defined({ lastOutput: lastOutput(logs.get(container.value.id) ?? []) }) })
  }
  return known(containers)
}

/** The order of `inspectTemplate`. Guards against a line of another container. */
const order = /^id name image (made )?state health restart (grace )?entrypoint (j )*command (j )*(bind )*(port )*(l )*(_ )*$/

const states: ReadonlySet<string> = new Set<Container['state']>([
  'created',
  'running',
  'paused',
  'restarting',
  'removing',
  'exited',
  'dead',
])
const healths: ReadonlySet<string> = new Set<Container['health']>(['none', 'starting', 'healthy', 'unhealthy'])

function readContainer(lines: readonly string[]): Observed<Container> {
  const id = first(lines, 'id')
  const [state = '', exitCode, oomKilled, pid, restarts, startedAt = ''] = first(lines, 'state').split(' ')
  const health = first(lines, 'health') || 'none'
  const once = ['name', 'image', 'state', 'restart'].every((tag) => all(lines, tag).length === 1)
  if (!once || !isState(state) || !isHealth(health))
    return unknown('unreadable', `docker reports no valid state for container ${id.slice(0, 12)}`)
  const imageId = /^(?:sha256:)?([0-9a-f]{64})$/.exec(first(lines, 'made'))?.[1]
  const commandAt = lines.indexOf('command')
  return known({
    id,
    name: jsonText(first(lines, 'name')).replace(/^\//, ''),
    image: jsonText(first(lines, 'image')),
    ...defined({ imageId }),
    state,
    health,
    exitCode: Number(exitCode),
    restartCount: Number(restarts),
    oomKilled: oomKilled === 'true',
    pid: Number(pid),
    startedAt,
    entrypoint: wordsIn(lines.slice(0, commandAt)),
    command: wordsIn(lines.slice(commandAt)),
    restartPolicy: jsonText(first(lines, 'restart')) || 'no',
    ...defined({ stopTimeoutS: graceOf(first(lines, 'grace')) }),
    binds: all(lines, 'bind').map(bindOf),
    ports: all(lines, 'port').flatMap(portOf),
    labels: Object.fromEntries(all(lines, 'l').map(pairOf)),
  })
}

function isState(text: string): text is Container['state'] {
  return states.has(text)
}

function isHealth(text: string): text is Container['health'] {
  return healths.has(text)
}

function all(lines: readonly string[], tag: string): readonly string[] {
  return lines.filter((line) => line.startsWith(`${tag} `)).map((line) => line.slice(tag.length + 1))
}

function first(lines: readonly string[], tag: string): string {
  return all(lines, tag)[0] ?? ''
}

function wordsIn(lines: readonly string[]): readonly string[] {
  return all(lines, 'j').map(jsonText)
}

/** Seconds; undefined: the engine's default. */
function graceOf(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** A JSON string; any other text is returned unchanged. */
function jsonText(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : text
  } catch {
    return text
  }
}

/** `RW "source" "destination"`; a JSON string contains no unescaped quote. */
function bindOf(line: string): string {
  const [writable = ''] = line.split(' ', 1)
  const [source = '', destination = ''] = stringsIn(line)
  return `${source}:${destination}${writable === 'false' ? ':ro' : ''}`
}

function pairOf(line: string): [string, string] {
  const [name = '', value = ''] = stringsIn(line)
  return [name, value]
}

function stringsIn(line: string): readonly string[] {
  return (line.match(/"(?:[^"\\]|\\.)*"/g) ?? []).map(jsonText)
}

/** `9996/tcp "9996"`; a port that the engine chooses has no number here. */
function portOf(line: string): readonly string[] {
  const [inside = '', outside = ''] = line.split(' ')
  const [port = '', protocol] = inside.split('/')
  const published = jsonText(outside)
  return protocol === 'udp' || published === '' || published === '0' ? [] : [`${published}:${port}`]
}
