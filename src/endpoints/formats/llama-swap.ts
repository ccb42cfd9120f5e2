import { type Endpoint, nameOfEndpoint } from '../endpoint.ts'
import type { EndpointFormat, Unfit } from './endpoint-format.ts'
import { yamlText } from './yaml-text.ts'

/**
 * The `peers` of llama-swap, a part of its configuration: https://github.com/mostlygeek/llama-swap/blob/main/config-schema.json. It appends the
 * path of a request, `/v1` included, to `proxy`. A variable that is not set stops it.
 */
export const llamaSwap: EndpointFormat = {
  shared: 'llama-swap needs the full name SERVICE@HOST/MODEL',
  advice: [
    'Put it into the folder of llama-swap --config-dir, beside a file with models.',
    'All variables of keys must be set there.',
  ],
  unfit,
  write: (endpoints, head) =>
    yamlText(head, {
      peers: Object.fromEntries(
        endpoints.map((endpoint) => [
          nameOfEndpoint(endpoint),
          { proxy: endpoint.baseUrl.replace(/\/v1$/, ''), ...keyOf(endpoint), models: [endpoint.model] },
        ]),
      ),
    }),
}

function keyOf({ key }: Endpoint) {
  return key === undefined ? {} : { apiKey: key.value ?? `\${env.${key.variable}}` }
}

function unfit({ model, key }: Endpoint): Unfit | undefined {
  const why = 'contains `${`, which llama-swap reads as a macro'
  if (model.includes('${')) return { what: 'model', why }
  return key?.value?.matches(/\$\{/) === true ? { what: 'key', why } : undefined
}
