import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { registered } from '../../schemas/registered.ts'
import { defaultContext, defaultInterpreter, defaultSettings, serviceDefaults } from '../../src/inventory/defaults.ts'

describe('what is generated', () => {
  test.each(Object.entries(registered))('stands in %s as the kinds and managers have it now', (name, register) => {
    const text = readFileSync(`schemas/${name}`, 'utf8')
    const schema = JSON.parse(text)
    register(schema)
    expect(JSON.stringify(schema), 'run `npm run generate`').toBe(JSON.stringify(JSON.parse(text)))
  })
})

type Json = Readonly<Record<string, unknown>>

const schemas = { 'inventory.schema.json': readSchema('inventory'), 'playbook.schema.json': readSchema('playbook') }

describe.each(Object.entries(schemas))('%s', (name, schema) => {
  test('explains everything it describes', () => {
    const silent = definitionsOf(schema).filter(({ node }) => !isReference(node) && !('title' in node && 'description' in node))
    expect(silent.map(({ path }) => path)).toEqual([])
  })

  test('has examples and defaults that are valid', () => {
    const ajv = new Ajv2020({ strict: false, schemas: [{ ...schema, $id: name }] })
    addFormats.default(ajv)
    for (const { path, node } of definitionsOf(schema)) {
      const samples = [
        ...(Array.isArray(node['examples']) ? node['examples'] : []),
        ...('default' in node ? [node['default']] : []),
      ]
      for (const sample of samples)
        expect.soft(ajv.validate(`${name}#${path}`, sample), `${path}: ${JSON.stringify(sample)}`).toBe(true)
    }
  })

  test('shows a default or an example for every value people write', () => {
    const bare = definitionsOf(schema).filter(
      ({ path, node }) => path.includes('/properties/') && isValue(node) && !hasSample(node),
    )
    expect(bare.map(({ path }) => path)).toEqual([])
  })
})

test('files of variables are described for editors by a schema of their own', () => {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(schemas['inventory.schema.json'], 'inventory.schema.json')
  const validate = ajv.compile({ ...readSchema('inventory-vars'), $id: 'inventory-vars.schema.json' })
  expect(validate({ platform: 'macos', services: { coder: { port: 9990 } } })).toBe(true)
  expect(validate({ plattform: 'macos' })).toBe(false)
})

test('defaults in the schema are the defaults in the code', () => {
  const service = propertiesOf('service')
  const fleet = propertiesOf('fleet')
  const ports = service['port'] === undefined ? {} : propertiesBelow(fleet['ports'])
  expect({
    state: service['state']?.['default'],
    bind: service['host']?.['default'],
    jinja: service['jinja']?.['default'],
    keyDelivery: service['key_delivery']?.['default'],
    envPrefix: service['env_prefix']?.['default'],
    noBrowser: service['no_browser']?.['default'],
    stopTimeoutS: service['stop_timeout']?.['default'],
    keepAwake: service['keep_awake']?.['default'],
  }).toEqual(serviceDefaults)
  expect({
    org: fleet['org']?.['default'],
    ports: { min: ports['min']?.['default'], reserved: ports['reserved']?.['default'] },
    headroomGb: fleet['headroom_gb']?.['default'],
    smallRamGb: fleet['small_ram_gb']?.['default'],
  }).toEqual(defaultSettings)
  expect(service['ctx']?.['default']).toBe(defaultContext('linux', 'B'))
  expect(service['interpreter']?.['default']).toBe(defaultInterpreter('B'))
  const words = (field: string) => String(service[field]?.['description'])
  expect(words('ctx_size')).toContain(`${defaultContext('macos', 'A')} on macOS, ${defaultContext('linux', 'A')} on Linux`)
})

function readSchema(name: string): Json {
  return JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8'))
}

interface Definition {
  /** A JSON pointer. */
  readonly path: string
  readonly node: Json
}

/** Every definition and every property at any depth; branches of an `anyOf` are part of what they belong to. */
function definitionsOf(schema: Json, path = ''): readonly Definition[] {
  const named = ['$defs', 'properties'].flatMap((section) =>
    Object.entries(recordOf(schema[section])).flatMap(([name, node]) => {
      const here = `${path}/${section}/${name}`
      return [{ path: here, node: recordOf(node) }, ...definitionsOf(recordOf(node), here)]
    }),
  )
  const branches = Array.isArray(schema['anyOf']) ? schema['anyOf'] : []
  return [...named, ...branches.flatMap((branch, index) => definitionsOf(recordOf(branch), `${path}/anyOf/${index}`))]
}

/** Explained where it leads to. */
function isReference(node: Json): boolean {
  return Object.keys(node).join() === '$ref'
}

function isValue(node: Json): boolean {
  const types = [node['type']].flat()
  return (
    !('enum' in node) &&
    !types.includes('object') &&
    !types.includes('boolean') &&
    !String(node['$ref']).match(/vars|services|model|fleet/u)
  )
}

function hasSample(node: Json): boolean {
  return 'default' in node || 'examples' in node
}

function propertiesOf(definition: string): Readonly<Record<string, Json>> {
  return propertiesBelow(recordOf(recordOf(schemas['inventory.schema.json']['$defs'])[definition]))
}

function propertiesBelow(node: Json | undefined): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(recordOf(node?.['properties'])).map(([name, value]) => [name, recordOf(value)]))
}

function recordOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
