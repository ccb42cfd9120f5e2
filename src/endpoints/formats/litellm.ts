import { type Endpoint, nameOfEndpoint } from '../endpoint.ts'
import { type EndpointFormat, noKey, type Unfit } from './endpoint-format.ts'
import { yamlText } from './yaml-text.ts'

/** The `model_list` of a LiteLLM proxy. It reads `os.environ/NAME` as a variable, in any text: https://docs.litellm.ai/docs/proxy/configs */
export const litellm: EndpointFormat = {
  shared: 'LiteLLM balances its load between them',
  advice: ['Start the proxy with it: litellm --config FILE'],
  unfit,
  write: (endpoints, head) =>
    yamlText(head, {
      model_list: endpoints.map((endpoint) => ({
        model_name: endpoint.model,
        litellm_params: { model: `openai/${endpoint.model}`, api_base: endpoint.baseUrl, api_key: keyOf(endpoint) },
        model_info: { id: nameOfEndpoint(endpoint) },
      })),
    }),
}

function keyOf({ key }: Endpoint) {
  return key === undefined ? noKey : (key.value ?? `os.environ/${key.variable}`)
}

function unfit({ model, key }: Endpoint): Unfit | undefined {
  if (model.startsWith('os.environ/'))
    return { what: 'model', why: 'starts with `os.environ/`, which LiteLLM replaces by a variable' }
  if (model.includes('*')) return { what: 'model', why: 'contains `*`, which LiteLLM reads as a pattern for many models' }
  if (key?.value?.matches(/^os\.environ\//) === true)
    return { what: 'key', why: 'starts with `os.environ/`, which LiteLLM replaces by a variable' }
  return undefined
}
