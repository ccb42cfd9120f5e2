import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileFromFile } from 'json-schema-to-typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'schemas-'))

/** What a document is called in `src/model/`. */
const published = [
  { name: 'plan', type: 'Plan', from: 'plan.ts' },
  { name: 'report', type: 'RunReport', from: 'report.ts' },
  { name: 'drift', type: 'DriftDocument', from: 'drift.ts' },
  { name: 'facts', type: 'FactsDocument', from: 'facts-document.ts' },
  { name: 'fetch', type: 'FetchDocument', from: 'fetch-document.ts' },
  { name: 'fetch-log', type: 'FetchLogDocument', from: 'fetch-document.ts' },
  { name: 'log-line', type: 'LogLineDocument', from: 'log-line.ts' },
  { name: 'pin', type: 'PinDocument', from: 'pin-document.ts' },
  { name: 'adopt', type: 'AdoptDocument', from: 'adopt-document.ts' },
  { name: 'doctor', type: 'DoctorDocument', from: 'doctor-document.ts' },
  { name: 'version', type: 'VersionDocument', from: 'version-document.ts' },
  { name: 'kept-run', type: 'KeptRun', from: 'kept-run.ts' },
  { name: 'host-facts', type: 'FactsFile', from: 'facts-file.ts' },
]

const altered = [
  ['Plan & { readonly more?: string }', '"/more"'],
  ["Omit<Plan, 'digest'>", '"/digest"'],
  ["Omit<Plan, 'digest'> & { readonly digest: number }", '"/digest"'],
  ["Omit<Plan, 'digest'> & { readonly digest?: string }", '"/digest"'],
  ["Omit<Plan, 'hosts'> & { readonly hosts: readonly (Plan['hosts'][number] & { readonly rank: number })[] }", '"/hosts/rank"'],
] as const

const comparisons = [...published, ...altered.map(([type]) => ({ name: 'plan', type, from: 'plan.ts' }))]
const fileOf = (one: (typeof comparisons)[number]) => `compare-${comparisons.indexOf(one)}.ts`
let said: readonly string[] = []

/**
 * Two types are the same if no generic can distinguish them; intersections are melted and arrays made read-only first.
 * `Differing` leads to where they are not the same.
 */
const comparison = `
type Plain<T> = unknown extends T ? T
  : T extends { toJSON(): infer Json } ? Plain<Json>
  : T extends readonly (infer Member)[] ? readonly Plain<Member>[]
  : T extends object ? { readonly [Key in keyof T]: Plain<T[Key]> }
  : T
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Seen<T> = T extends null | undefined | { readonly known: false } | { readonly reachable: false } ? never : T
type Or<A, B> = [A] extends [never] ? B : A
type Keys<T> = keyof T & string
type Differing<A, B, At extends string> = Same<A, B> extends true ? never : Inside<Seen<A>, Seen<B>, At>
type Inside<A, B, At extends string> = [A, B] extends [readonly (infer X)[], readonly (infer Y)[]] ? Or<Differing<X, Y, At>, At>
  : [A, B] extends [object, object] ? Or<{ [K in Keys<A> | Keys<B>]: K extends Keys<A> & Keys<B> ? Differing<A[K], B[K], \`\${At}/\${K}\`> : \`\${At}/\${K}\` }[Keys<A> | Keys<B>], At>
  : At
`

beforeAll(async () => {
  for (const { name } of published) {
    const file = `${name}.schema.json`
    writeFileSync(join(folder, file), JSON.stringify(forTypes(readFileSync(join(root, 'schemas', file), 'utf8'))))
  }
  for (const { name } of published) {
    const text = await compileFromFile(join(folder, `${name}.schema.json`), {
      cwd: folder,
      additionalProperties: false,
      format: false,
      ignoreMinAndMaxItems: true,
    })
    writeFileSync(join(folder, `${name}.ts`), text)
  }
  for (const one of comparisons) writeFileSync(join(folder, fileOf(one)), comparisonOf(one))
  said = compile(comparisons.map(fileOf))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(published)('the schema of a $name says what the type $type says', ({ type }) => {
  expect(differences(type)).toBe('')
})

test.each(altered)('a difference is found and named: %s', (type, path) => {
  expect(differences(type)).toContain(`Type '${path}' is not assignable to type 'never'`)
})

function comparisonOf({ name, type, from }: (typeof published)[number]): string {
  const document = name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const model = JSON.stringify(join(root, 'src/model', from))
  return `import type { ${document} as Document } from './${name}.ts'\nimport type { ${/^(?:Omit<)?(\w+)/.exec(type)?.[1]} } from ${model}\n${comparison}
declare const differing: Differing<Plain<Document>, Plain<${type}>, ''>\nexport const none: never = differing\n`
}

/** What the compiler says, an error each. It reads for all files what they share. */
function compile(files: readonly string[]): readonly string[] {
  const flags = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--allowImportingTsExtensions', '--skipLibCheck']
  const settings = ['--module', 'nodenext', '--target', 'es2024', '--types', '']
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, ...flags, ...settings, ...files], {
    encoding: 'utf8',
    cwd: folder,
  })
  return `${stdout}${stderr}`.split(/\n(?! )/).filter((line) => line !== '')
}

/** The compiler's word on whether both are the same; empty: they are. */
function differences(type: string): string {
  const others = comparisons.filter((one) => one.type !== type).map((one) => `${fileOf(one)}(`)
  return said.filter((line) => !others.some((other) => line.startsWith(other))).join('\n')
}

/**
 * Without what only a validator can say (conditions, what stands beside a reference, which numbers there are), and without
 * titles, which would name the types.
 */
function forTypes(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => {
    if (['if', 'then', 'not', '$id'].includes(key) || (key === 'title' && typeof value === 'string')) return undefined
    if (typeof value !== 'object' || value === null) return value
    if ('enum' in value && Array.isArray(value.enum) && typeof value.enum[0] === 'number') return { type: 'number' }
    return '$ref' in value ? { $ref: value.$ref } : value
  })
}
