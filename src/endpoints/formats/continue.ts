import type { Endpoint } from '../endpoint.ts'
import type { EndpointFormat, Unfit } from './endpoint-format.ts'
import { yamlText } from './yaml-text.ts'

/** A `config.yaml` of Continue, schema v1: https://docs.continue.dev/reference. Its secrets are in `~/.continue/.env`. */
export const continueFormat: EndpointFormat = {
  shared: 'Continue lists each of them with its host',
  advice: ['Continue reads it as ~/.continue/config.yaml, and the keys from ~/.continue/.env.'],
  unfit,
  write: (endpoints, head) =>
    yamlText(head, {
      name: 'Model servers',
      version: '1.0.0',
      schema: 'v1',
      models: endpoints.map((endpoint) => ({
        name: `${endpoint.model} (${endpoint.host})`,
        provider: 'openai',
        model: endpoint.model,
        apiBase: endpoint.baseUrl,
        ...keyOf(endpoint),
      })),
    }),
}

function keyOf({ key }: Endpoint) {
  return key === undefined ? {} : { apiKey: key.value ?? `\${{ secrets.${key.variable} }}` }
}

function unfit({ model, key }: Endpoint): Unfit | undefined {
  const why = 'contains `${{`, which Continue reads as a template'
  if (model.includes('${{')) return { what: 'model', why }
  return key?.value?.matches(/\$\{\{/) === true ? { what: 'key', why } : undefined
}
