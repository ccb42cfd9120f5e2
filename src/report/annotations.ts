import { defined } from '../lib/defined.ts'
import { hostItself } from '../model/action.ts'
import type { Overview } from '../model/overview.ts'
import type { SourceRef } from '../model/source.ts'
import { levelWord } from './drift-words.ts'
import { sentence } from './finding-words.ts'
import { severities } from './severity.ts'

/** GitHub shows ten of a kind for one step, and drops the others silently. */
const mostOfAKind = 10

interface Annotation {
  readonly kind: 'error' | 'warning'
  readonly title: string
  readonly text: string
  readonly at?: SourceRef
}

/**
 * Workflow commands for GitHub Actions, a line each: refusals and faults as errors, doubts as warnings, at the line of the inventory that
 * causes them. The format: GitHub's documentation of workflow commands.
 */
export function renderAnnotations(overview: Overview): string {
  const all = [...issues(overview), ...ofHosts(overview)]
  const shown = (['error', 'warning'] as const).flatMap((kind) => all.filter((one) => one.kind === kind).slice(0, mostOfAKind))
  const left = all.length - shown.length
  const lines = shown.map(({ kind, title, text, at }) => command(kind, { ...place(at), title }, text))
  if (left > 0) lines.push(command('notice', { title: 'converge' }, `${left} more findings are in the reports.`))
  return lines.join('')
}

function issues(overview: Overview): readonly Annotation[] {
  return overview.issues.map(({ severity, code, message, at }) => ({ kind: severity, title: code, text: message, at }))
}

function ofHosts({ hosts }: Overview): readonly Annotation[] {
  return hosts.flatMap(({ host, problem, services }) => [
    ...(problem === undefined
      ? []
      : [{ kind: 'error' as const, title: problem.code, text: `${host}: ${problem.summary} ${problem.why}` }]),
    ...services.flatMap(({ service, findings, at }) =>
      findings
        .filter(({ level }) => severities[level] !== 'note')
        .map(
          (one): Annotation => ({
            kind: severities[one.level] === 'error' ? 'error' : 'warning',
            title: `${one.values === undefined ? one.code : levelWord(one.level)} ${service === hostItself ? host : `${service}@${host}`}`,
            text: one.values === undefined ? one.why : sentence(one),
            ...defined({ at: one.at ?? at }),
          }),
        ),
    ),
  ])
}

function place(at: SourceRef | undefined): Readonly<Record<string, string>> {
  return at === undefined ? {} : { file: at.file, line: String(at.line), col: String(at.column) }
}

function command(kind: string, properties: Readonly<Record<string, string>>, text: string): string {
  const pairs = Object.entries(properties).map(([name, value]) => `${name}=${escapedProperty(value)}`)
  return `::${kind} ${pairs.join(',')}::${escapedText(text)}\n`
}

function escapedText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapedProperty(text: string): string {
  return escapedText(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
