import { defined } from '../lib/defined.ts'
import { isObject, parseObject } from '../lib/json-object.ts'
import type { AppliedRecord } from '../model/applied-record.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { isOverrideWords } from '../model/operation.ts'
import { type Fact, linesOf, readSection, saysOnly, strangeLine } from './fact.ts'

const anywhere = `
look "$root/applied"
if [ "$state" = there ] && { [ ! -d "$root/applied" ] || [ ! -r "$root/applied" ] || [ ! -x "$root/applied" ]; }; then state=hidden; fi
printf 'state %s\\n' "$state"
[ "$state" = there ] || return 0
for file in "$root"/applied/*.json; do
  [ -e "$file" ] || continue
  printf 'file %s\\n' "\${file##*/}"
  if [ -r "$file" ]; then show "$file"; else echo unreadable; fi
done
`

/** What the last apply recorded, by service. One unreadable record makes the whole fact unknown: it could belong to any service. */
export const applied: Fact<Observed<Readonly<Record<string, AppliedRecord>>>> = {
  section: { name: 'applied', sh: { linux: anywhere, macos: anywhere } },
  parse: (section) => readSection(section, readApplied),
}

function readApplied(text: string): Observed<Readonly<Record<string, AppliedRecord>>> {
  const lines = linesOf(text)
  if (lines[0] === 'state hidden') return unknown('not-permitted', 'the records of the last apply are not readable')
  if (saysOnly(lines, 'state absent')) return known({})
  if (lines[0] !== 'state there') return unknown('unreadable', 'it is unclear whether the last apply left records')
  const strange = strangeLine(lines.slice(1), /^(file .+|\|.*|unreadable|)$/)
  if (strange !== undefined) return strange
  if (/^(\||unreadable)/.test(lines[1] ?? '')) return unknown('unreadable', 'a record cannot be attributed to a service')
  const starts = lines.flatMap((line, index) => (line.startsWith('file ') ? [index] : []))
  const records: AppliedRecord[] = []
  for (const [index, start] of starts.entries()) {
    const record = recordIn(lines.slice(start, starts[index + 1]))
    if (!record.known) return record
    records.push(record.value)
  }
  return known(Object.fromEntries(records.map((record) => [record.service, record])))
}

/** `file NAME`, and its text after bars. */
function recordIn([file = '', ...body]: readonly string[]): Observed<AppliedRecord> {
  const name = file.slice('file '.length)
  const text = body.filter((line) => line.startsWith('|')).map((line) => line.slice(1))
  const record = readRecord(text.join('\n'))
  if (record === undefined)
    return unknown(body.includes('unreadable') ? 'not-permitted' : 'unreadable', `applied/${name} is not a record of converge`)
  return name === `${record.service}.json`
    ? known(record)
    : unknown('unreadable', `applied/${name} is the record of another service`)
}

function readRecord(text: string): AppliedRecord | undefined {
  const { service, mark, runId, appliedAt, definitionDigest, adopted, wanted, waits, override, warmup } = parseObject(text) ?? {}
  if (!isText(service) || !isText(mark) || !isText(runId) || !isText(appliedAt) || !isText(definitionDigest)) return undefined
  if (!isObject(wanted)) return undefined
  const overridden = readOverride(override)
  if (overridden === undefined) return undefined
  const own = adopted === true ? ({ adopted } as const) : {}
  return {
    service,
    mark,
    runId,
    appliedAt,
    definitionDigest,
    ...own,
    wanted,
    ...readWaits(waits),
    ...overridden,
    ...readWarmUp(warmup),
  }
}

function readWaits(value: unknown): Pick<AppliedRecord, 'waits'> {
  return Array.isArray(value) && value.every(isText) ? { waits: value } : {}
}

/** Undefined: it is none that converge writes, and to ignore it could start or stop a server against someone's word. */
function readOverride(value: unknown): Pick<AppliedRecord, 'override'> | undefined {
  if (value === undefined) return {}
  if (!isObject(value)) return undefined
  const { state, until, by, since, reason } = value
  if (state !== 'running' && state !== 'stopped') return undefined
  if (!isWords(by) || !isTime(since) || !(isTime(until) || until === 'next-apply' || until === 'revert')) return undefined
  if (reason !== undefined && !isWords(reason)) return undefined
  return { override: { state, until, by, since, ...defined({ reason }) } }
}

function isWords(value: unknown): value is string {
  return isText(value) && isOverrideWords(value)
}

function isTime(value: unknown): value is string {
  return isText(value) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value))
}

/** Only improves estimates: an unreadable measurement counts as none. */
function readWarmUp(value: unknown): Pick<AppliedRecord, 'warmup'> {
  if (!isObject(value)) return {}
  const { healthyS, completionS, chatS, atMost, measuredAt, model, definitionDigest } = value
  if (!isSeconds(healthyS) || !isText(measuredAt) || !isDigest(model) || !isDigest(definitionDigest)) return {}
  if (Number.isNaN(Date.parse(measuredAt))) return {}
  return {
    warmup: {
      healthyS,
      ...(isSeconds(completionS) ? { completionS } : {}),
      ...(isSeconds(chatS) ? { chatS } : {}),
      ...(atMost === true ? { atMost } : {}),
      measuredAt,
      model,
      definitionDigest,
    },
  }
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isDigest(value: unknown): value is string {
  return isText(value) && /^[0-9a-f]{64}$/.test(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
