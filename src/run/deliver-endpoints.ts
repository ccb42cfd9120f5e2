import type { Context } from '../context/context.ts'
import type { Endpoint, EndpointList } from '../endpoints/endpoint.ts'
import { endpointFormats } from '../endpoints/formats/index.ts'
import { mustFit } from '../endpoints/must-fit.ts'
import type { EndpointFormatName } from '../model/names.ts'
import { redactedText } from '../model/secret.ts'
import { renderEndpointNotes, renderEndpoints } from '../report/endpoints-text.ts'
import { plainPaint } from '../report/paint.ts'
import { mustBeFile, writeSecretText } from '../state/write-secret-text.ts'
import { writeWhole } from '../state/write-whole.ts'
import { checkDestinations } from './deliver.ts'
import type { OpenFleet } from './open-fleet.ts'
import { createSecretResolver } from './secret-resolver.ts'

export interface EndpointsDelivery {
  readonly list: EndpointList
  readonly format: EndpointFormatName | 'text'
  /** Absent: stdout. */
  readonly out: string | undefined
  /** Only with `out`. */
  readonly withKeys: boolean
}

/**
 * Writes the list, and on stderr what is missing in it.
 *
 * @throws ConvergeError `ENDPOINTS.UNFIT`, `ENDPOINTS.KEYS`, `USAGE.OUTPUT_FILE`, `SECRET.*`
 */
export async function deliverEndpoints(
  context: Context,
  { isClosed = false }: OpenFleet,
  delivery: EndpointsDelivery,
): Promise<void> {
  const { list, format, out, withKeys } = delivery
  await checkDestinations({ out })
  if (withKeys && out !== undefined) await mustBeFile(out)
  const endpoints = withKeys ? await withValues(context, list.endpoints, isClosed) : list.endpoints
  if (format === 'text') await writeText(context, endpoints, out)
  else await writeFormat(context, endpoints, { format, out, withKeys })
  const { err } = context
  err.writeProse(renderEndpointNotes(list, format === 'text' ? undefined : endpointFormats[format].shared))
  if (out !== undefined)
    err.writeProse(`Wrote ${count(endpoints)} to ${out}${withKeys ? ', with their keys (mode 0600)' : ''}.\n`)
}

async function writeText(
  { out: stdout, given }: Context,
  endpoints: readonly Endpoint[],
  out: string | undefined,
): Promise<void> {
  if (out === undefined) stdout.writeProse(renderEndpoints(endpoints, stdout.paint))
  else await writeWhole(out, renderEndpoints(endpoints, plainPaint(given)))
}

async function writeFormat(
  context: Context,
  endpoints: readonly Endpoint[],
  { format, out, withKeys }: Pick<EndpointsDelivery, 'out' | 'withKeys'> & { readonly format: EndpointFormatName },
): Promise<void> {
  mustFit(format, endpoints)
  const { write, advice } = endpointFormats[format]
  const text = write(endpoints, format === 'json' ? [] : [`Written by: converge endpoints --format ${format}`, ...advice])
  if (out === undefined) context.out.write(redactedText(text))
  else if (withKeys) await writeSecretText(out, text)
  else await writeWhole(out, redactedText(text))
}

/** With the keys of all endpoints; a list that lacks one would be wrong without saying so. */
async function withValues(context: Context, endpoints: readonly Endpoint[], isClosed: boolean): Promise<readonly Endpoint[]> {
  const resolve = createSecretResolver(context, { isClosed })
  return Promise.all(
    endpoints.map(async (endpoint) => {
      const { key } = endpoint
      return key === undefined ? endpoint : { ...endpoint, key: { ...key, value: await resolve(key.reference) } }
    }),
  )
}

function count({ length }: readonly Endpoint[]): string {
  return length === 1 ? 'one endpoint' : `${length} endpoints`
}
