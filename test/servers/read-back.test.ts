import { describe, expect, test } from 'vitest'
import { shellSplit } from '../../src/lib/shell-split.ts'
import type { ServerKindName } from '../../src/model/names.ts'
import { serverKinds } from '../../src/servers/index.ts'
import type { ReadBack, ReadBackProblem } from '../../src/servers/read-back.ts'
import { readCases } from '../managers/read-cases.ts'
import { inventoryWith, serviceWith } from './inventory-with.ts'
import { startedBy } from './started-by.ts'

/** A file of command lines. A case without an expectation fails and shows what it reads. */
interface CaseFile {
  readonly kind: ServerKindName
  readonly cases: readonly Case[]
}

interface Case extends Expected {
  readonly name: string
  /** A line as a shell reads it, or its words. */
  readonly argv: string | readonly string[]
  /** null: unreadable. Absent: empty. */
  readonly env?: Readonly<Record<string, string>> | null
  readonly ownEnv?: boolean
}

interface Expected {
  readonly fields: ReadBack['fields']
  readonly key?: ReadBack['key']
  /** Absent: none. */
  readonly unstated?: ReadBack['unstated']
  /** `word: why (field)`. Absent: none. */
  readonly problems?: readonly string[]
}

const cases = readCases<CaseFile>('servers/read-back').flatMap(([file, content]) =>
  content.cases.map((one) => [`${file}: ${one.name}`, content.kind, one] as const),
)

describe('a server that runs', () => {
  test.each(cases)('%s', (_, kind, { name, argv, env = {}, ownEnv = false, ...expected }) => {
    const words = typeof argv === 'string' ? shellSplit(argv) : argv
    if (words === undefined) throw new Error(`${name} is more than one command`)
    const read = serverKinds[kind].readBack({ argv: words, env: env ?? undefined, ownEnv })
    expect(shown(read)).toEqual(expected)
    expect(JSON.stringify(read)).not.toMatch(/hunter2|hf_abc/)
    const needed = { kind, manager: 'systemd', port: 9990, model: { path: '/m/x' }, executable: '/opt/x' }
    const { issues } = inventoryWith({ ...needed, ...read.fields })
    // Who writes the fields into a file marks texts with braces as `!unsafe`.
    expect(issues.filter(({ code }) => code !== 'INPUT.TEMPLATE')).toEqual([])
  })

  // Without those that need `!unsafe`.
  const plain = cases.filter(
    ([, , { fields, problems }]) => problems === undefined && !/\{[{%]/.test(JSON.stringify(fields['extra_args'])),
  )

  test.each(plain)('%s: and starts like that again', (_, kind, { fields }) => {
    const interpreter = kind === 'B' ? { interpreter: '/opt/y' } : {}
    const service = serviceWith({ kind, manager: 'systemd', port: 9990, executable: '/opt/x', ...interpreter, ...fields })
    const launch = serverKinds[kind].launch(service, { model: service.model.path }, undefined)
    expect(serverKinds[kind].readBack(startedBy(launch)).fields).toMatchObject(fields)
  })

  test('no two cases have one name', () => {
    expect(new Set(cases.map(([name]) => name)).size).toBe(cases.length)
  })
})

function shown({ fields, key, unstated, problems }: ReadBack): Expected {
  return {
    fields,
    ...(key === undefined ? {} : { key }),
    ...(unstated.length === 0 ? {} : { unstated }),
    ...(problems.length === 0 ? {} : { problems: problems.map(problemLine) }),
  }
}

function problemLine({ word, why, field }: ReadBackProblem): string {
  return `${word}: ${why}${field === undefined ? '' : ` (${field})`}`
}
