import { readFile, writeFile } from 'node:fs/promises'
import { Ajv2020, type SchemaObject } from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import addFormats from 'ajv-formats'
import { build } from 'esbuild'
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { annotations } from './annotations.ts'
import { registered } from './registered.ts'

/**
 * Makes `src/generated/` from the schemas: validators that need no AJV at run time (compiling a schema costs ten times what running the
 * finished code does) and the types of what they let through. `npm run generate` writes the files, and before that into the
 * schemas what the registries say.
 */
export async function generate(): Promise<ReadonlyMap<string, string>> {
  const inventory = await readSchema('inventory.schema.json')
  const playbook = await readSchema('playbook.schema.json')
  const names = [...Object.values(documentValidators), 'facts.schema.json']
  const documents = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readSchema(name)] as const)))
  return new Map([
    [
      'validators.js',
      await compileValidators({ 'inventory.schema.json': inventory, 'playbook.schema.json': playbook }, validators),
    ],
    ['validators.d.ts', typesOf(validators)],
    // Apart: hardly any run reads a saved plan or a report of the past.
    ['document-validators.js', await compileValidators(documents, documentValidators)],
    ['document-validators.d.ts', typesOf(documentValidators)],
    // Apart as well: every look at a host loads it.
    ['facts-validator.js', await compileValidators(documents, factsValidator, { verbose: false })],
    ['facts-validator.d.ts', typesOf(factsValidator)],
    ['inventory-file.ts', await compileTypes(inventory, 'HostsFile')],
    ['playbook-file.ts', await compileTypes(playbook, 'PlaybookFile')],
  ])
}

type Schema = JSONSchema & SchemaObject

const validators = {
  validateHostsFile: 'inventory.schema.json',
  validateVars: 'inventory.schema.json#/$defs/vars',
  validatePlaybook: 'playbook.schema.json',
}

const documentValidators = {
  validatePlan: 'plan.schema.json',
  validateReport: 'report.schema.json',
  validateDrift: 'drift.schema.json',
  validateFetch: 'fetch.schema.json',
  validateKeptRun: 'kept-run.schema.json',
  validateFactsFile: 'host-facts.schema.json',
}

const factsValidator = { validateHostFacts: 'facts.schema.json#/$defs/host_facts' }

async function compileValidators(
  schemas: Readonly<Record<string, Schema>>,
  wanted: Readonly<Record<string, string>>,
  { verbose } = { verbose: true },
): Promise<string> {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose,
    inlineRefs: false,
    strict: true,
    allowUnionTypes: true,
    code: { source: true, esm: true, lines: true },
  })
  addFormats.default(ajv, ['date-time'])
  for (const annotation of annotations) ajv.addKeyword(annotation)
  for (const [name, schema] of Object.entries(schemas))
    ajv.addSchema(withoutTexts(schema, ['title', 'description', 'examples', 'default']), name)
  return `${banner}${await bundle(standaloneCode.default(ajv, { ...wanted }))}`
}

/** AJV's own output still has `require` calls for its helpers (ajv#2209). */
async function bundle(code: string): Promise<string> {
  const result = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname, loader: 'js' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
    // Whole, because names would hold the path of the checkout.
    minify: true,
  })
  return result.outputFiles.map((file) => file.text).join('')
}

const banner = '// Generated from schemas/ by `npm run generate`; not to be edited.\n'

function typesOf(wanted: Readonly<Record<string, string>>): string {
  return `${banner}import type { ErrorObject } from 'ajv'

export interface Validator {
  (data: unknown): boolean
  /** What was wrong with the last data; null when nothing was. */
  errors?: readonly ErrorObject[] | null
}

${Object.keys(wanted)
  .map((name) => `export const ${name}: Validator`)
  .join('\n')}
`
}

/** Types are named after the definitions; titles would name them otherwise. What is known by a pattern alone is nothing the code names. */
async function compileTypes(schema: Schema, name: string): Promise<string> {
  return compile(withoutTexts(schema, ['$id', 'title', 'patternProperties']), name, {
    additionalProperties: false,
    bannerComment: banner.trimEnd(),
    unreachableDefinitions: true,
    format: true,
    style: { singleQuote: true, semi: false, printWidth: 130 },
  })
}

/** A copy without some annotations, which are texts for people and change nothing. */
function withoutTexts(schema: Schema, names: readonly string[]): Schema {
  const text = JSON.stringify(schema, (key, value: unknown) => (names.includes(key) && !isSchema(value) ? undefined : value))
  return JSON.parse(text)
}

/** `properties` may well hold a property that is called `default` or `title`. */
function isSchema(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && ('type' in value || '$ref' in value || 'anyOf' in value || 'enum' in value)
  )
}

async function readSchema(name: string): Promise<Schema> {
  const schema = JSON.parse(await readFile(new URL(name, import.meta.url), 'utf8'))
  registered[name]?.(schema)
  return schema
}

if (import.meta.main) {
  // `npm run generate` formats them after that.
  for (const name of Object.keys(registered))
    await writeFile(new URL(name, import.meta.url), JSON.stringify(await readSchema(name)))
  for (const [name, content] of await generate()) {
    await writeFile(new URL(`../src/generated/${name}`, import.meta.url), content)
    console.log(`src/generated/${name}`)
  }
}
