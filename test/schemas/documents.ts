import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { annotations } from '../../schemas/annotations.ts'

const root = new URL('../../', import.meta.url)

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export function readJson(path: string): Json {
  return JSON.parse(readFileSync(new URL(path, root), 'utf8'))
}

export function listFiles(glob: string): readonly string[] {
  return globSync(glob, { cwd: fileURLToPath(root) }).toSorted()
}

/** All published schemas, as strictly as AJV can take them, known to each other by file name. */
export function loadSchemas(): (name: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true })
  addFormats.default(ajv)
  for (const annotation of annotations) ajv.addKeyword(annotation)
  for (const path of listFiles('schemas/*.schema.json')) ajv.addSchema(readSchema(path), path.replace('schemas/', ''))
  return (name) => {
    const validate = ajv.getSchema(name)
    if (validate === undefined) throw new Error(`there is no schema ${name}`)
    return validate
  }
}

function readSchema(path: string): { readonly [key: string]: Json } {
  const schema = readJson(path)
  if (!isObject(schema)) throw new Error(`${path} is no object`)
  return schema
}

export function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy with one member put in, replaced, or (undefined) taken away; `pointer` is a JSON pointer. */
export function change(document: Json, pointer: string, put: Json | undefined): Json {
  const [key = '', ...rest] = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return changeAt(document, key, rest, put)
}

function changeAt(value: Json, key: string, rest: readonly string[], put: Json | undefined): Json {
  const [next, ...further] = rest
  const members: Record<string, Json> =
    typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
  const changed = next === undefined ? put : changeAt(members[key] ?? null, next, further, put)
  if (changed === undefined) delete members[key]
  else members[key] = changed
  return Array.isArray(value) ? Object.values(members) : members
}
