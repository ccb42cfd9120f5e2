import { endpointFormats } from '../endpoints/formats/index.ts'
import { listEndpoints } from '../endpoints/list-endpoints.ts'
import { askedBelowHome, expandAsked } from '../facts/asked-path.ts'
import { sha256 } from '../lib/digest.ts'
import { textDiff } from '../lib/text-diff.ts'
import { ownershipLabelOf } from '../managers/ownership-label.ts'
import type { FieldChange } from '../model/action.ts'
import type { DefinitionFile, HostFacts } from '../model/facts.ts'
import type { EndpointsFile, Fleet, Host } from '../model/fleet.ts'
import { known, mapObserved, type Observed, unknown } from '../model/observed.ts'
import { redactedText } from '../model/secret.ts'

/** A list of endpoints that is not on its host as it should be. */
export interface DueEndpoints {
  readonly file: EndpointsFile
  /** Absolute. */
  readonly path: string
  readonly content: string
  /** How many endpoints it lists. */
  readonly count: number
  readonly was: DefinitionFile | null
  /** It is written, but a run was cut off before clients read it. */
  readonly unread: boolean
}

const prefix = 'endpoints '

/** The field of a change of the file. */
export function endpointsField({ path }: Pick<EndpointsFile, 'path'>): string {
  return `${prefix}${path}`
}

/** Whether a change is about a list of endpoints. */
export function isEndpoints({ field }: Pick<FieldChange, 'field'>): boolean {
  return field.startsWith(prefix)
}

/** The label of all lists of endpoints of a fleet. */
export function endpointsOwnershipLabel(org: string): string {
  return ownershipLabelOf(org, 'endpoints')
}

/** The lists of a host. */
export function filesOf({ settings }: Pick<Fleet, 'settings'>, { name }: Pick<Host, 'name'>): readonly EndpointsFile[] {
  return (settings.endpointsFiles ?? []).filter(({ host }) => host === name)
}

/** The lists to write or to reload, in the order of the inventory. */
export function dueEndpoints(fleet: Fleet, host: Host, facts: HostFacts): Observed<readonly DueEndpoints[]> {
  const due: DueEndpoints[] = []
  for (const file of filesOf(fleet, host)) {
    const found = dueFile(fleet, file, facts)
    if (!found.known) return found
    if (found.value !== null) due.push(found.value)
  }
  return known(due)
}

function dueFile(
  fleet: Fleet,
  file: EndpointsFile,
  { layout, definitions, leftovers }: HostFacts,
): Observed<DueEndpoints | null> {
  if (!layout.known) return layout
  const asked = askedBelowHome(file.path)
  const { content, count } = desired(fleet, file)
  const left = leftovers[asked]
  const isLeft = left?.known === true && left.value.length > 0
  return mapObserved(definitions[asked] ?? unknown('not-gathered', `the host was not asked about ${file.path}`), (was) => {
    const isAsWanted = was !== null && was.digest === sha256(content)
    if (isAsWanted && !isLeft) return null
    return { file, path: expandAsked(asked, layout.value), content, count, was, unread: isAsWanted }
  })
}

/** Servers that only the file's host reaches are in it. */
function desired(fleet: Fleet, { host, format }: EndpointsFile): { readonly content: string; readonly count: number } {
  const { endpoints } = listEndpoints(fleet, { selects: () => true, on: host })
  const { write, advice } = endpointFormats[format]
  const head = [
    `converge: managed ${endpointsOwnershipLabel(fleet.settings.org)}`,
    'Where clients reach the models. Written from the inventory (fleet.endpoints): what is edited here by hand is',
    'overwritten by the next `converge apply`, and the plan before it shows the difference.',
    ...(format === 'openwebui' ? advice : []),
  ]
  return { content: redactedText(write(endpoints, head)), count: endpoints.length }
}

export function endpointsChange({ file, content, count, was, unread }: DueEndpoints): FieldChange {
  const field = endpointsField(file)
  if (unread)
    return { field, from: 'written, but perhaps not read', to: file.reload === undefined ? 'written' : 'read', effect: 'none' }
  const from = was === null ? null : `other text (SHA-256 ${was.digest.slice(0, 12)})`
  const number = count === 1 ? 'one endpoint' : `${count} endpoints`
  return { field, from, to: `${number} (SHA-256 ${sha256(content).slice(0, 12)})`, effect: 'none' }
}

/** The whole file, for people. The host hides what looks like a key, so references are hidden on both sides. */
export function endpointsDiff({ path, content, was, unread }: DueEndpoints): string {
  if (unread) return ''
  const name = path.replace(/^\//, '')
  return was === null ? textDiff(name, '', content) : textDiff(name, hidden(was.content), hidden(content))
}

function hidden(text: string): string {
  return text.replace(/^(\s*[\w-]*api_?key["']?\s*[:=]\s*)(?:"[^"]*"|'[^']*'|.*)$/gim, '$1***')
}
