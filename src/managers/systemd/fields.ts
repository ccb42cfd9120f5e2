import type { Effect } from '../compare-fields.ts'
import { type Fields, flagFields } from '../flag-fields.ts'

/** What systemd applies to a running process; everything else is read when a process starts. */
const readAtReload: ReadonlySet<string> = new Set([
  'Description',
  'After',
  'Wants',
  'StartLimitIntervalSec',
  'StartLimitBurst',
  'Restart',
  'RestartSec',
  'RestartPreventExitStatus',
  'TimeoutStopSec',
  'WantedBy',
])

export function unitEffect(restart: Effect): (field: string) => Effect {
  return (field) => (readAtReload.has(field) ? 'reload' : restart)
}

/**
 * A unit file, directive by directive, as far as units of model servers need it; undefined: not one. Command and environment have the same
 * names as elsewhere.
 */
export function unitFields(content: string): Fields | undefined {
  const lines = content
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
  const directives = lines.filter((line) => line !== '' && !/^[#;[]/.test(line)).map((line) => /^(\w+)\s*=\s*(.*)$/.exec(line))
  if (directives.some((match) => match === null)) return undefined
  return directives.reduce<Fields>((fields, match) => {
    const [, name = '', value = ''] = match ?? []
    // An empty value takes back the earlier ones.
    const prefix = value === '' ? listed[name] : undefined
    const kept =
      prefix === undefined ? fields : Object.fromEntries(Object.entries(fields).filter(([one]) => !one.startsWith(prefix)))
    return { ...kept, ...directiveFields(name, value) }
  }, {})
}

/** Directives that add to their earlier values, and the prefix of their fields. */
const listed: Readonly<Record<string, string>> = { ExecStart: 'command.', Environment: 'environment.' }

function directiveFields(name: string, value: string): Fields {
  if (name === 'ExecStart') return commandFields(value)
  if (name !== 'Environment') return { [name]: value.replaceAll('%%', '%') }
  const assignments = splitWords(value).map((word) => /^([^=]*)=(.*)$/s.exec(word))
  return Object.fromEntries(assignments.map((match) => [`environment.${match?.[1] ?? ''}`, match?.[2] ?? '']))
}

/** A prefix gives the program other rights, or another name. One that only ignores its failure has no effect on the server. */
function commandFields(value: string): Fields {
  const [prefix = ''] = /^[@:+!|-]*/.exec(value) ?? []
  const words = splitWords(value.slice(prefix.length)).map((word) => word.replaceAll('$$', '$'))
  const rights = prefix.replaceAll('-', '')
  return { ...(rights === '' ? {} : { ExecStartPrefix: rights }), ...flagFields('command', words) }
}

/** Words as systemd splits them: both kinds of quotes, a backslash before any character. */
function splitWords(text: string): readonly string[] {
  const words = text.match(/(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\\.|[^\s"'\\])+/g) ?? []
  return words.map((word) =>
    word
      .replaceAll(/"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|\\(.)/g, (_, double?: string, single?: string, escaped?: string) =>
        (double ?? single ?? escaped ?? '').replaceAll(/\\(.)/g, '$1'),
      )
      .replaceAll('%%', '%'),
  )
}
