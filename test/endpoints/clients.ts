import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { parse } from 'yaml'

/** What a client makes of an endpoint. */
export interface Read {
  readonly model: string
  readonly baseUrl: string
  /** Undefined: it sends none. */
  readonly key: string | undefined
}

type Variables = Readonly<Record<string, string>>

const ajv = new Ajv()
const schemas = Object.fromEntries(
  ['litellm', 'continue', 'llama-swap'].map((name) => [
    name,
    ajv.compile(JSON.parse(readFileSync(`test/fixtures/endpoints/${name}.schema.json`, 'utf8')) as object),
  ]),
)

function checked(name: string, document: unknown): unknown {
  const validate = schemas[name]
  if (validate?.(document) !== true) throw new Error(`${name}: ${ajv.errorsText(validate?.errors)}`)
  return document
}

/**
 * Each format as its client reads it: the fields that it knows are in `test/fixtures/endpoints/*.schema.json`, and what it does with texts, as
 * its documentation and sources show it, is done again here.
 */
export const clients: Readonly<Record<string, (text: string, variables: Variables) => readonly Read[]>> = {
  json: (text) => {
    const { endpoints } = JSON.parse(text) as {
      endpoints: { model: string; base_url: string; key?: { value?: string; variable: string } }[]
    }
    return endpoints.map(({ model, base_url: baseUrl, key }) => ({ model, baseUrl, key: key?.value ?? key?.variable }))
  },
  litellm,
  continue: readContinue,
  'llama-swap': llamaSwap,
}

/** PyYAML reads YAML 1.1. Every text that starts with `os.environ/` is replaced, and a model with `*` is a pattern. */
function litellm(text: string, variables: Variables): readonly Read[] {
  const resolved = (value: string) =>
    value.startsWith('os.environ/') ? (variables[value.slice('os.environ/'.length)] ?? '') : value
  const document = checked('litellm', parse(text, { version: '1.1' })) as {
    model_list: { model_name: string; litellm_params: { model: string; api_base: string; api_key: string } }[]
  }
  return document.model_list.map(({ model_name: name, litellm_params: { model, api_base: baseUrl, api_key: key } }) => {
    if (name.includes('*')) throw new Error('a pattern')
    if (`openai/${resolved(name)}` !== resolved(model)) throw new Error(`${name} is sent as ${model}`)
    return { model: name, baseUrl: resolved(baseUrl), key: resolved(key) }
  })
}

/** Templates are replaced in the text, before YAML is parsed; one that is not known stays as it is. */
function readContinue(text: string, variables: Variables): readonly Read[] {
  const named = Object.fromEntries(Object.entries(variables).map(([name, value]) => [`secrets.${name}`, value]))
  const filled = text.replace(/\$\{\{\s*([^}\s]+)\s*\}\}/g, (template, name: string) => named[name] ?? template)
  const document = checked('continue', parse(filled)) as { models: { model: string; apiBase: string; apiKey?: string }[] }
  return document.models.map(({ model, apiBase: baseUrl, apiKey: key }) => ({ model, baseUrl, key }))
}

/** Its loader replaces variables in the text, before it parses YAML; what is left of `${…}` is an unknown macro, which it rejects. */
function llamaSwap(text: string, variables: Variables): readonly Read[] {
  const filled = text.replace(/\$\{env\.([A-Za-z_]\w*)\}/g, (_, name: string) => {
    const value = variables[name]
    if (value === undefined) throw new Error(`environment variable '${name}' is not set`)
    return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  })
  const document = checked('llama-swap', parse(filled)) as {
    peers: Record<string, { proxy: string; apiKey?: string; models: string[] }>
  }
  return Object.values(document.peers).flatMap(({ proxy, apiKey, models }) =>
    models.map((model) => {
      if (/\$\{[\w.-]+\}/.test(model)) throw new Error('unknown macro')
      return { model, baseUrl: `${proxy}/v1`, key: apiKey }
    }),
  )
}
