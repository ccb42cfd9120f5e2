import type { SecretText } from '../../model/secret.ts'
import type { Endpoint } from '../endpoint.ts'
import { type EndpointFormat, noKey, type Unfit } from './endpoint-format.ts'
import { assignment, secretAssignment } from './shell-text.ts'
import { commented } from './yaml-text.ts'

/**
 * The environment of Open WebUI: addresses and keys in the same order, split at `;`. Without any address it would ask api.openai.com.
 * https://docs.openwebui.com/getting-started/env-configuration
 */
export const openwebui: EndpointFormat = {
  shared: 'Open WebUI shows one of them',
  advice: [
    'Read it in a shell (set -a; . FILE; set +a), or as env_file of Docker Compose.',
    'Open WebUI reads it only at its first start, unless ENABLE_PERSISTENT_CONFIG=False.',
  ],
  unfit,
  write: (endpoints, head) => [
    commented(head),
    assignment('ENABLE_OPENAI_API', endpoints.length === 0 ? 'False' : 'True'),
    assignment('OPENAI_API_BASE_URLS', endpoints.map(({ baseUrl }) => baseUrl).join(';')),
    ...keysOf(endpoints),
  ],
}

function keysOf(endpoints: readonly Endpoint[]): SecretText {
  const name = 'OPENAI_API_KEYS'
  const values = endpoints.map(({ key }) => key?.value)
  if (values.some((value) => value !== undefined))
    return secretAssignment(
      name,
      values.flatMap((value, index) => [...(index === 0 ? [] : [';']), value ?? noKey]),
    )
  return [`${name}="${endpoints.map(({ key }) => (key === undefined ? noKey : `\${${key.variable}}`)).join(';')}"\n`]
}

function unfit({ baseUrl, key }: Endpoint): Unfit | undefined {
  const why = 'contains a semicolon, at which Open WebUI splits its list'
  if (baseUrl.includes(';')) return { what: 'address', why }
  if (key?.value?.matches(/;/) === true) return { what: 'key', why }
  return key?.value?.matches(/^\s|\s$/) === true
    ? { what: 'key', why: 'starts or ends with a space, which Open WebUI drops' }
    : undefined
}
