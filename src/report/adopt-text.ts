import prettyBytes from 'pretty-bytes'
import { nameOfPath } from '../lib/posix-path.ts'
import type { AdoptDocument, AdoptedFile, AdoptedHost, FoundServer } from '../model/adopt-document.ts'
import { valueWords } from '../policy/takeover-words.ts'
import { indent } from './indent.ts'
import { nextText } from './next-text.ts'
import type { Paint } from './paint.ts'
import { renderProblem } from './problem-text.ts'

interface AdoptTextOptions {
  readonly paint: Paint
  /** Whole paths, and each setting that waits. */
  readonly verbose: boolean
}

/** One line for each server that was found, why it cannot be adopted, the text for the inventory, and how many there are. */
export function renderAdoption({ hosts, files, written }: AdoptDocument, options: AdoptTextOptions): string {
  const blocks = hosts.map((host) => hostText(host, options))
  const edits = files.map((file) => fileText(file, written, options.paint))
  const servers = hosts.flatMap((host) => host.servers)
  const summary = servers.length === 0 ? [] : [summaryOf(servers, written)]
  return `${[...blocks, ...edits, ...summary].map((block) => block.trimEnd()).join('\n\n')}\n`
}

function hostText({ host, problem, servers }: AdoptedHost, options: AdoptTextOptions): string {
  const { paint } = options
  const title = paint(['bold'], host)
  if (problem !== undefined) return `${title}\n${indent(renderProblem(problem, paint))}`
  if (servers.length === 0) return `${title}\n  Nothing runs here that the inventory does not have.`
  return `${title}\n${servers.map((server) => serverText(server, options)).join('')}`
}

const signs = { adopt: ['green', '⌂'], restart: ['yellow', '↻'], no: ['red', '✗'] } as const

function serverText(server: FoundServer, options: AdoptTextOptions): string {
  const { paint } = options
  const [style, sign] = signs[server.adoptable]
  const title = paint(['bold'], server.service ?? server.program)
  const line = `  ${paint([style], sign)} ${paint.hang}${title}  ${factsOf(server, options).join(', ')}\n`
  const reasons = server.reasons.map(
    ({ code, why, next }) =>
      `      ${paint([style], code)}  ${paint.hang}${why}\n${next.map((one) => `      next: ${paint.hang}${nextText(one, paint)}\n`).join('')}`,
  )
  return line + reasons.join('') + waitsText(server, options)
}

function factsOf(server: FoundServer, options: AdoptTextOptions): readonly string[] {
  const { kind, port, rss_bytes, key } = server
  const words = [
    ...originWords(server, options),
    port !== null && `port ${port}`,
    ...modelWords(server, options),
    prettyBytes(rss_bytes, { binary: true }),
    // Of another program, its key was not looked at.
    kind !== null && keyWords[key ?? 'none'],
  ]
  return words.filter((word) => word !== false)
}

function originWords({ service, program, kind, pid, runs_from }: FoundServer, { verbose }: AdoptTextOptions) {
  return [
    service !== null && `${program}${kind === null ? '' : ` (${kind})`}`,
    kind !== null && (runs_from ?? 'started by hand'),
    verbose && `pid ${pid}`,
  ]
}

/** Without an alias, a server may use the path of its model as one. */
function modelWords({ model, alias }: FoundServer, { verbose }: AdoptTextOptions) {
  return [model !== null && (verbose ? model : nameOfPath(model)), alias !== null && alias !== model && `alias ${alias}`]
}

const keyWords = {
  argument: 'key on its command line (visible to all users)',
  variable: 'key in its environment',
  file: 'key in a file',
  none: 'no key',
} as const

/** More would hide the servers. */
const mostNames = 4

type Wait = FoundServer['waits'][number]

function waitsText({ adoptable, waits }: FoundServer, { paint, verbose }: AdoptTextOptions): string {
  if (adoptable !== 'adopt' || waits.length === 0) return ''
  const sorted = waits.toSorted((a, b) => rankOf(a) - rankOf(b))
  const settings = waits.length === 1 ? 'one setting changes' : `${waits.length} settings change`
  const head = `Its definition stays. When converge next writes it, ${settings}:`
  if (verbose) return [head, ...sorted.map((one) => `  ${waitText(one)}`)].map((line) => dimLine(line, paint)).join('')
  const names = sorted.slice(0, mostNames).map(nameOf)
  const more = sorted.length > names.length ? ` and ${sorted.length - names.length} more (-v)` : ''
  return dimLine(`${head} ${names.join(', ')}${more}`, paint)
}

function dimLine(text: string, paint: Paint): string {
  return `      ${paint(['dim'], text)}\n`
}

/** What the server itself gets comes first, then what a person wrote. */
function rankOf({ field, from }: Wait): number {
  if (/^(command|environment)\./.test(field)) return 0
  return from === null ? 2 : 1
}

function nameOf({ field }: Wait): string {
  return field.replace(/^(command|environment)\./, '')
}

function waitText(wait: Wait): string {
  return `${nameOf(wait)}  ${valueWords(wait.from)} → ${valueWords(wait.to)}`
}

/** A new file as it would be; of another one, the lines that change. */
function fileText({ file, is_new, diff }: AdoptedFile, written: boolean, paint: Paint): string {
  const [will, did] = is_new ? ['New file:', 'Created:'] : ['Would change:', 'Changed:']
  const heading = `${paint(['bold'], written ? did : will)} ${file}`
  if (written) return heading
  const lines = diff.trimEnd().split('\n').slice(2)
  const shown = is_new
    ? lines.flatMap((line) => (line.startsWith('+') ? [`  ${line.slice(1)}`] : []))
    : lines.filter((line) => !line.startsWith('@@')).map((line) => diffLine(line, paint))
  return `${heading}\n${shown.map((line) => paint.whole(line.trimEnd())).join('\n')}`
}

function diffLine(line: string, paint: Paint): string {
  const [sign = ' '] = line
  const styles = { '+': 'green', '-': 'red' } as const
  return sign === '+' || sign === '-' ? paint([styles[sign]], `${sign} ${line.slice(1)}`) : paint(['dim'], `  ${line.slice(1)}`)
}

function summaryOf(servers: readonly FoundServer[], written: boolean): string {
  const count = (adoptable: FoundServer['adoptable']) => servers.filter((one) => one.adoptable === adoptable).length
  const words = [
    [count('adopt'), written ? 'described in the inventory' : 'can be adopted as they are'],
    [count('restart'), 'only by a restart'],
    [count('no'), 'left out'],
  ] as const
  const parts = words.flatMap(([number, text]) => (number === 0 ? [] : [`${number} ${text}`]))
  return `Found ${servers.length === 1 ? 'one server' : `${servers.length} servers`}: ${parts.join(', ')}.`
}
