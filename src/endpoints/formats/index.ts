import type { EndpointFormatName } from '../../model/names.ts'
import { continueFormat } from './continue.ts'
import type { EndpointFormat } from './endpoint-format.ts'
import { env } from './env.ts'
import { json } from './json.ts'
import { litellm } from './litellm.ts'
import { llamaSwap } from './llama-swap.ts'
import { openwebui } from './openwebui.ts'

/** All formats of endpoints, by their names on the command line and in the inventory. */
export const endpointFormats = {
  json,
  env,
  litellm,
  openwebui,
  continue: continueFormat,
  'llama-swap': llamaSwap,
} as const satisfies Record<EndpointFormatName, EndpointFormat>
