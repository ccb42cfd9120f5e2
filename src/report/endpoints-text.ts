import { type Endpoint, type EndpointList, type EndpointNote, nameOfEndpoint } from '../endpoints/endpoint.ts'
import type { Paint } from './paint.ts'
import { renderTable } from './table.ts'

/** A line per endpoint, with the variable of its key. */
export function renderEndpoints(endpoints: readonly Endpoint[], paint: Paint): string {
  if (endpoints.length === 0) return 'No endpoints.\n'
  const head = ['SERVICE', 'HOST', 'MODEL', 'BASE URL', 'KEY'].map((title) => paint(['dim'], title))
  const rows = endpoints.map(({ service, host, model, baseUrl, key }) => [
    paint(['bold'], service),
    host,
    model,
    baseUrl,
    key === undefined ? paint(['dim'], 'none') : `$${key.variable}`,
  ])
  return renderTable(head, rows, paint)
}

/** The services that are not in the list, those in doubt, and models that several servers have. */
export function renderEndpointNotes({ endpoints, unlisted, doubts }: EndpointList, shared: string | undefined): string {
  const models = [...Map.groupBy(endpoints, ({ model }) => model)].filter(([, of]) => of.length > 1)
  return [
    ...grouped('Not listed', unlisted),
    ...grouped('In doubt', doubts),
    ...(shared === undefined
      ? []
      : models.map(([model, of]) => `${of.length} servers have the model ${model} (${few(of.map(nameOfEndpoint))}): ${shared}.`)),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

/** One line for each reason. */
function grouped(words: string, notes: readonly EndpointNote[]): readonly string[] {
  return [...Map.groupBy(notes, ({ because }) => because)].map(
    ([because, about]) => `${words}: ${few(about.map(nameOfEndpoint))} (${because})`,
  )
}

/** So many are named; the rest is counted. */
const mostNamed = 6

function few(names: readonly string[]): string {
  const more = names.length - mostNamed
  return more > 0 ? `${names.slice(0, mostNamed).join(', ')} and ${more} more` : names.join(', ')
}
