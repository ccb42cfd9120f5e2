import { NotSimulated } from './not-simulated.ts'

/** Words of a unit file as systemd.syntax(7) and systemd.service(5) have them. */

const word = /(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\\.|[^\s"'\\])+/gs
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', s: ' ' }

/** Split at blanks, without quotes and backslashes. */
export function unitWords(text: string): readonly string[] {
  return (text.match(word) ?? []).map((one) =>
    one.replaceAll(/"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|\\(.)/gs, (_, double?: string, single?: string, escaped?: string) =>
      unescaped(double ?? single ?? `\\${escaped}`),
    ),
  )
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gs, (_, sign: string) => escapes[sign] ?? sign)
}

export interface Specifiers {
  readonly unit: string
}

export function withoutSpecifiers(text: string, { unit }: Specifiers): string {
  const values: Readonly<Record<string, string>> = { '%': '%', n: unit, N: unit.replace(/\.service$/, '') }
  return text.replaceAll(/%(.?)/g, (whole, letter: string) => {
    const value = values[letter]
    if (value === undefined) throw new NotSimulated(`the specifier ${whole} in ${unit}`)
    return value
  })
}

/** `$NAME` as a word of its own is split into words, `${NAME}` is not; `$$` is a dollar. The program itself is left alone. */
export function withVariables(words: readonly string[], environment: Readonly<Record<string, string>>): readonly string[] {
  const [program = '', ...rest] = words
  const filled = rest.flatMap((one) => {
    const whole = /^\$(\w+)$/.exec(one)?.[1]
    if (whole !== undefined) return (environment[whole] ?? '').split(/\s+/).filter((part) => part !== '')
    return [
      one.replaceAll(/\$\$|\$\{(\w+)\}/g, (sign, name?: string) =>
        name === undefined ? sign.slice(1) : (environment[name] ?? ''),
      ),
    ]
  })
  return [program, ...filled]
}

/** Lines of an EnvironmentFile=. */
export function environmentIn(content: string): Readonly<Record<string, string>> {
  const pairs = content.split('\n').flatMap((line): [string, string][] => {
    const match = /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line)
    return match === null ? [] : [[match[1] ?? '', fileValue(match[2] ?? '')]]
  })
  return Object.fromEntries(pairs)
}

function fileValue(text: string): string {
  const quoted = /^\s*(?:"((?:\\.|[^"\\])*)"|'([^']*)')\s*$/.exec(text)
  if (quoted?.[2] !== undefined) return quoted[2]
  return (quoted?.[1] ?? text.trim()).replaceAll(/\\(.)/g, '$1')
}

/** Seconds of `10`, `2500ms`, `1min 30s`. */
export function timeSpan(text: string): number {
  if (text === 'infinity') return Number.POSITIVE_INFINITY
  const seconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, sec: 1, m: 60, min: 60, h: 3600, d: 86_400, '': 1 }
  const parts = [...text.matchAll(/([\d.]+)\s*([a-z]*)/g)]
  if (parts.length === 0) throw new NotSimulated(`the time span ${text}`)
  return parts.reduce((sum, [, amount, unit = '']) => {
    const factor = seconds[unit]
    if (factor === undefined) throw new NotSimulated(`the time span ${text}`)
    return sum + Number(amount) * factor
  }, 0)
}
