import prettyBytes from 'pretty-bytes'
import type { AdoptDocument, AdoptedHost, FoundServer } from '../model/adopt-document.ts'
import { indent } from './indent.ts'
import { nextText } from './next-text.ts'
import type { Paint } from './paint.ts'
import { renderProblem } from './problem-text.ts'

/** One line for each server that was found, why it cannot be adopted, and the changes of the inventory. */
export function renderAdoption({ hosts, files, written }: AdoptDocument, paint: Paint): string {
  const blocks = hosts.map((host) => hostText(host, paint))
  const edits = files.map(({ diff }) => diff)
  const heading = files.length === 0 || written ? [] : [paint(['bold'], 'The inventory would change:')]
  return `${[...blocks, ...heading, ...(written ? [] : edits)].map((block) => block.trimEnd()).join('\n\n')}\n`
}

function hostText({ host, problem, servers }: AdoptedHost, paint: Paint): string {
  const title = paint(['bold'], host)
  if (problem !== undefined) return `${title}\n${indent(renderProblem(problem, paint))}`
  if (servers.length === 0) return `${title}\n  Nothing runs here that the inventory does not have.`
  return `${title}\n${servers.map((server) => serverText(server, paint)).join('')}`
}

const signs = { adopt: ['green', '⌂'], restart: ['yellow', '↻'], no: ['red', '✗'] } as const

function serverText(server: FoundServer, paint: Paint): string {
  const [style, sign] = signs[server.adoptable]
  const { service, program, pid, runs_from, port, model, alias, rss_bytes, key } = server
  const facts = [
    runs_from ?? 'started by hand',
    `pid ${pid}`,
    ...(port === null ? [] : [`port ${port}`]),
    ...(model === null ? [] : [model]),
    ...(alias === null ? [] : [`alias ${alias}`]),
    prettyBytes(rss_bytes, { binary: true }),
    keyWords[key ?? 'none'],
  ]
  const line = `  ${paint([style], sign)} ${paint.hang}${paint(['bold'], service ?? program)}  ${facts.join(', ')}\n`
  const reasons = server.reasons.map(
    ({ code, why, next }) =>
      `      ${paint([style], code)}  ${why}\n${next.map((one) => `      next: ${paint.hang}${nextText(one, paint)}\n`).join('')}`,
  )
  return line + reasons.join('') + waitsText(server, paint)
}

const keyWords = {
  argument: 'API key on its command line, where every user of the host can read it',
  variable: 'API key in its environment',
  file: 'API key in a file',
  none: 'no API key',
} as const

function waitsText({ adoptable, waits }: FoundServer, paint: Paint): string {
  if (adoptable !== 'adopt' || waits.length === 0) return ''
  const words = waits.map(({ field, from, to }) => `${field} ${from ?? '(none)'} → ${to ?? '(none)'}`).join(', ')
  return `      ${paint(['dim'], `its definition stays; when converge next writes it, these change as well: ${words}`)}\n`
}
