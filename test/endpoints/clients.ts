import { readFileSync } from 'node:fs'
import { fillTemplateVariables, parseConfigYaml, validateConfigYaml } from '@continuedev/config-yaml'
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
  ['litellm', 'llama-swap'].map((name) => [
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
 * Each format as its client reads it. Continue's is its own package. The others cannot be had as packages for Node: their documented fields are in
 * `test/fixtures/endpoints/*.schema.json`, and what they do with texts, as their documentation and sources show it, is done again here.
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

/** With Continue's own parser, schema and templates. */
function readContinue(text: string, variables: Variables): readonly Read[] {
  const named = Object.fromEntries(Object.entries(variables).map(([name, value]) => [`secrets.${name}`, value]))
  const config = parseConfigYaml(fillTemplateVariables(text, named))
  const faults = validateConfigYaml(config)
  if (faults.length > 0) throw new Error(JSON.stringify(faults))
  return (config.models ?? []).map((one) => {
    if (!('model' in one) || one.model === undefined || one.apiBase === undefined) throw new Error('not a model')
    return { model: one.model, baseUrl: one.apiBase, key: one.apiKey }
  })
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
