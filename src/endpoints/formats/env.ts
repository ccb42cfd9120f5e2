import { visibleText } from '../../lib/visible-text.ts'
import type { SecretText } from '../../model/secret.ts'
import type { Endpoint } from '../endpoint.ts'
import { type EndpointFormat, noKey, type Unfit } from './endpoint-format.ts'
import { assignment, secretAssignment } from './shell-text.ts'
import { commented } from './yaml-text.ts'

/** Variables for a POSIX shell: an address, a model and a key for each endpoint. */
export const env: EndpointFormat = {
  shared: 'each has its own variables',
  advice: ['Read it in a shell: set -a; . FILE; set +a'],
  unfit,
  write: (endpoints, head) => [commented(head), ...endpoints.flatMap(variablesOf)],
}

function variablesOf(endpoint: Endpoint): SecretText {
  const { prefix, baseUrl, model } = endpoint
  return ['\n', assignment(`${prefix}_BASE_URL`, baseUrl), assignment(`${prefix}_MODEL`, model), ...keyOf(endpoint)]
}

function keyOf({ prefix, key }: Endpoint): SecretText {
  const name = `${prefix}_API_KEY`
  if (key === undefined) return [assignment(name, noKey)]
  if (key.value !== undefined) return secretAssignment(name, [key.value])
  return key.variable === name ? [`# ${name} holds its key.\n`] : [`${name}="\${${key.variable}}"\n`]
}

function unfit({ model }: Endpoint): Unfit | undefined {
  return visibleText(model) === model
    ? undefined
    : { what: 'model', why: 'contains invisible characters, which a shell cannot show' }
}
