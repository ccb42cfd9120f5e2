import type { HostFacts } from '../../model/facts.ts'
import type { FactsFile } from '../../model/facts-file.ts'
import type { Fleet, Host } from '../../model/fleet.ts'
import type { Keys } from '../../simulate/service-case.ts'
import { type AnsweredThen, withoutUnasked } from './not-asked.ts'
import { restoreKeys } from './restore-keys.ts'
import { wayDigest } from './take-snapshot.ts'

/** What a file tells of a host of this inventory: what was not asked then, or nobody can tell any more, is unknown. */
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

/** Why the file is not about the host that the inventory means now; undefined: it is. */
export function otherHost({ host: named, reached, asked }: FactsFile, fleet: Fleet, host: Host): string | undefined {
  const { org } = fleet.settings
  if (named !== host.name) return `it is about ${named}`
  if (reached !== wayDigest(host))
    return `${host.name} was reached another way then, or as another account (address, port, user, become)`
  if (asked.org !== org) return `the fleet's \`org\` was ${asked.org} then and is ${org} now`
  if (asked.converge_dir !== host.convergeDir) return "converge's folder on the host was another one then"
  if (asked.platform !== undefined && host.platform !== undefined && asked.platform !== host.platform)
    return `it was asked as a host with ${asked.platform}, and the inventory says ${host.platform} now`
  return undefined
}
