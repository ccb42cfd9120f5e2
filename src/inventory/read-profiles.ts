import type { Fleet, Profile, ProfileState } from '../model/fleet.ts'
import type { InventoryIssue } from '../model/issue.ts'
import { didYouMean } from './did-you-mean.ts'
import { isManagedService } from './is-managed-service.ts'
import { issueAt } from './source-text.ts'
import { entriesOf, type YamlEntry, type YamlNode } from './yaml-node.ts'

/** `fleet.profiles`, and what the schema cannot check: each service that a profile names is one that converge manages. */
export function readProfiles(
  node: YamlNode | undefined,
  fleet: Pick<Fleet, 'hosts'>,
): { readonly profiles: readonly Profile[]; readonly issues: readonly InventoryIssue[] } {
  const issues: InventoryIssue[] = []
  const profiles = [...entriesOf(node)].map(([name, { value }]): Profile => {
    const named = new Set<string>()
    const states = [...entriesOf(value)].flatMap(([target, entry]): readonly ProfileState[] => {
      const found = stateOf(target, entry, fleet)
      if (typeof found !== 'string' && !named.has(`${found.service}@${found.host}`)) {
        named.add(`${found.service}@${found.host}`)
        return [found]
      }
      issues.push(
        issueAt(
          entry.key,
          'error',
          'INPUT.REFERENCE',
          typeof found === 'string' ? found : `The profile names \`${target}\` twice.`,
        ),
      )
      return []
    })
    return { name, states }
  })
  return { profiles, issues }
}

/** Or why it names none. */
function stateOf(target: string, { value }: YamlEntry, { hosts }: Pick<Fleet, 'hosts'>): ProfileState | string {
  const [name = '', at] = target.split('@')
  const all = hosts.flatMap(({ services }) => services)
  const found = all.filter((service) => service.name === name && (at === undefined || service.host === at))
  const [only, ...others] = found
  const known = all.map((service) => (at === undefined ? service.name : `${service.name}@${service.host}`))
  if (only === undefined) return `The inventory has no service \`${target}\`.${didYouMean(target, known)}`
  if (others.length > 0) return `Several hosts have a service \`${name}\`. Write \`${name}@${only.host}\`, for example.`
  if (!isManagedService(only))
    return `\`${target}\` has \`state: ${only.state}\`. A profile takes services that are running or stopped.`
  const state = value.type === 'scalar' && value.value === 'stopped' ? 'stopped' : 'running'
  return { host: only.host, service: only.name, state }
}
