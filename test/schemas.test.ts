import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { published } from '../schemas/published.ts'
import { change, isObject, type Json, listFiles, loadSchemas, readJson } from './schemas/documents.ts'

const schemaOf = loadSchemas()

/** Documents that only converge writes: closed, so that no undocumented field slips out. */
const documents = [
  'plan',
  'facts',
  'report',
  'drift',
  'notification',
  'fetch',
  'fetch-log',
  'log-line',
  'pin',
  'adopt',
  'doctor',
  'version',
]

interface Fault {
  readonly at: string
  readonly put?: Json
  readonly says: string
}

const faults: Record<string, readonly Fault[]> = parse(
  readFileSync(new URL('fixtures/schemas/faults.yaml', import.meta.url), 'utf8'),
)

function answer(schema: string, document: Json): string {
  const validate = schemaOf(schema)
  if (validate(document)) return 'valid'
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`).join('\n')
}

test.each(listFiles('schemas/*.schema.json'))('%s is a strict JSON Schema with a title and a description', (path) => {
  expect(() => schemaOf(path.replace('schemas/', ''))).not.toThrow()
  expect(readJson(path)).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: expect.stringMatching(/./),
    description: expect.stringMatching(/\.$/),
  })
})

test.each(listFiles('schemas/*.schema.json'))('%s has its published address', (path) => {
  expect(readJson(path)).toHaveProperty('$id', `https://converge.example/schemas/v1/${path.replace('schemas/', '')}`)
})

test.each(Object.entries(published))('converge schema %s is complete in itself', (_, schema) => {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  expect(() => ajv.compile(schema)).not.toThrow()
})

describe.each(documents)('the schema of a %s', (name) => {
  const parts = partsOf(readJson(`schemas/${name}.schema.json`))

  test('is closed: every object says all it may hold', () => {
    const open = parts.filter(([, part]) => part['type'] === 'object' && !('additionalProperties' in part) && !('$ref' in part))
    expect(open.map(([path]) => path)).toEqual([])
  })

  test('explains every field', () => {
    const mute = parts.flatMap(([path, part]) =>
      Object.entries(isObject(part['properties']) && !path.endsWith('/if') ? part['properties'] : {})
        .filter(
          ([key, field]) =>
            isObject(field) && !('description' in field) && !('$ref' in field) && !['known', 'value', 'reachable'].includes(key),
        )
        .map(([key]) => `${path}/${key}`),
    )
    expect(mute).toEqual([])
  })
})

test('whatever a host says has an end: each string in its facts', () => {
  const parts = partsOf(readJson('schemas/facts.schema.json'))
  const strings = parts.filter(([, part]) => part['type'] === 'string' && !('maxLength' in part))
  const endless = strings.filter(([, { pattern = '+' }]) => typeof pattern !== 'string' || /[*+]/.test(pattern))
  // Ours, from the inventory.
  expect(endless.map(([path]) => path)).toEqual([
    '/$defs/observed_host/anyOf/0/properties/host',
    '/$defs/observed_host/anyOf/1/properties/host',
  ])
})

describe('hand-made documents', () => {
  const valid = listFiles('test/fixtures/schemas/*.json')

  test.each(valid)('%s is valid', (path) => expect(answer(schemaNamedIn(readJson(path)) ?? '', readJson(path))).toBe('valid'))

  test.each(Object.entries(faults).flatMap(([file, all]) => all.map((fault) => ({ file, ...fault }))))(
    '$file: $at $put',
    (fault) => {
      const document = readJson(`test/fixtures/schemas/${fault.file}.json`)
      expect(answer(`${documentOf(fault.file)}.schema.json`, change(document, fault.at, fault.put))).toContain(fault.says)
    },
  )

  test('each document has faults to be found in it', () => {
    expect(new Set(Object.keys(faults).map(documentOf))).toEqual(new Set(documents))
  })
})

test('every document among the fixtures that says what it is, is that', () => {
  const claims = listFiles('test/fixtures/**/*.json').flatMap((path) => {
    const document = readJson(path)
    const schema = schemaNamedIn(document)
    return schema === undefined ? [] : [`${path}: ${answer(schema, document)}`]
  })
  expect(claims.filter((claim) => !claim.endsWith(': valid'))).toEqual([])
  expect(claims.length).toBeGreaterThanOrEqual(5)
})

/** Of a file that is called `DOCUMENT-WORD`. */
function documentOf(file: string): string {
  return file.replace(/-[a-z]+$/, '')
}

/** The schema of a document that names one of ours. */
function schemaNamedIn(document: Json): string | undefined {
  const claim = isObject(document) ? document['schema'] : undefined
  const name = typeof claim === 'string' ? /^converge\/([a-z-]+)\/v1$/.exec(claim)?.[1] : undefined
  return name !== undefined && documents.includes(name) ? `${name}.schema.json` : undefined
}

/** Every object inside, with where it is. */
function partsOf(value: Json, path = ''): readonly (readonly [string, { readonly [key: string]: Json }])[] {
  if (Array.isArray(value)) return value.flatMap((member: Json, index) => partsOf(member, `${path}/${index}`))
  if (!isObject(value)) return []
  return [[path, value], ...Object.entries(value).flatMap(([key, member]) => partsOf(member, `${path}/${key}`))]
}
