import type { HostFacts } from '../../model/facts.ts'
import type { FactsFile } from '../../model/facts-file.ts'
import type { Fleet, Host } from '../../model/fleet.ts'
import type { Keys } from '../../simulate/service-case.ts'
import { type AnsweredThen, withoutUnasked } from './not-asked.ts'
import { restoreKeys } from './restore-keys.ts'
import { connectionDigest } from './take-snapshot.ts'

/** The facts of a host in a snapshot. What was not asked then, or can no longer be determined, is unknown. */
export function restoreFacts(
  file: FactsFile,
  {
    fleet,
    host,
    keys,
    remedy,
  }: { readonly fleet: Fleet; readonly host: Host; readonly keys: Keys } & Pick<AnsweredThen, 'remedy'>,
): HostFacts {
  const facts = withoutUnasked(fleet, host, { ...file, remedy })
  return restoreKeys(fleet, host, { ...file, facts }, keys)
}

/** Why the snapshot is not of the host that the inventory now describes; undefined: it is. */
export function otherHost({ host: named, reached, asked }: FactsFile, fleet: Fleet, host: Host): string | undefined {
  const { org } = fleet.settings
  if (named !== host.name) return `it is of ${named}`
  if (reached !== connectionDigest(host))
    return `the connection to ${host.name} was different then (address, port, user or become)`
  if (asked.org !== org) return `the fleet's \`org\` was ${asked.org} then and is ${org} now`
  if (asked.converge_dir !== host.convergeDir) return 'the folder of converge on the host was different then'
  if (asked.platform !== undefined && host.platform !== undefined && asked.platform !== host.platform)
    return `its platform was ${asked.platform} then and is ${host.platform} now`
  return undefined
}
