import { ConvergeError } from '../errors/converge-error.ts'
import type { EndpointFormatName } from '../model/names.ts'
import { type Endpoint, nameOfEndpoint } from './endpoint.ts'
import type { Unfit } from './formats/endpoint-format.ts'
import { endpointFormats } from './formats/index.ts'

/** Why the format cannot hold an endpoint: `The model coder* of coder@nas contains …`. Undefined: it holds all of them. */
export function unfitWords(name: EndpointFormatName, endpoints: readonly Endpoint[]): string | undefined {
  for (const endpoint of endpoints) {
    const unfit = endpointFormats[name].unfit(endpoint)
    if (unfit !== undefined) return `The ${shown(endpoint, unfit)} of ${nameOfEndpoint(endpoint)} ${unfit.why}.`
  }
  return undefined
}

/** @throws ConvergeError `ENDPOINTS.UNFIT` */
export function mustFit(name: EndpointFormatName, endpoints: readonly Endpoint[]): void {
  const why = unfitWords(name, endpoints)
  if (why === undefined) return
  throw new ConvergeError('ENDPOINTS.UNFIT', {
    summary: `The format ${name} cannot hold an endpoint.`,
    why: `${why} Nothing was written.`,
    next: ['Give the model another alias, choose another key or format, or leave the service out with --service.'],
  })
}

function shown({ model, baseUrl }: Endpoint, { what }: Unfit): string {
  if (what === 'key') return 'key'
  return what === 'model' ? `model name ${JSON.stringify(model)}` : `address ${baseUrl}`
}
