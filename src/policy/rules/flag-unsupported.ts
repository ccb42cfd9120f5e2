import { ownMember } from '../../lib/own-member.ts'
import { inContainer } from '../../managers/traits.ts'
import type { Service } from '../../model/fleet.ts'
import { known, type Observed } from '../../model/observed.ts'
import type { KeyPath } from '../../model/source.ts'
import { flagsOf } from '../../servers/flags.ts'
import { serverKinds } from '../../servers/index.ts'
import { settingOfFlag } from '../../servers/setting.ts'
import { bringsUp } from '../brings-up.ts'
import type { ActionContext, Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const flagUnsupported: Rule = {
  code: 'FLAG.UNSUPPORTED',
  severity: 'refuse',
  title: 'The server needs a flag that the executable on the host does not support.',
  explain:
    "The help of the host's own executable does not list a flag of this launch. Builds differ: a build that does not support the flag exits with " +
    'a usage error, and the supervisor restarts it forever. Remove the flag (`extra_args`, `no_browser: false`), update the program, or approve the ' +
    'flag (`--allow`) if the help is known to be incomplete. Where no help is available, converge refuses nothing.',
  consentable: true,
  checkAction(context) {
    if (!bringsUp(context)) return []
    const { service, host, launch } = context
    if (launch === undefined) return []
    const listed = listedFlags(context)
    if (!listed.known) return []
    const lacking = flagsOf(launch).filter((flag) => !listed.value.includes(flag))
    if (lacking.length === 0) return []
    const many = lacking.length > 1
    return [
      {
        why: `The help of ${service.executable ?? 'the executable'} on ${host.name} does not list ${lacking.join(', ')}. ${consequence(context)}.`,
        evidence: [
          ...lacking.map((flag) => inventoryLine(service, keyOfFlag(service, flag), `${service.name}: ${flag}`)),
          inventoryLine(service, ['executable'], `${service.name}: executable ${service.executable ?? ''}`),
          `flags that its help does not list: ${lacking.join(', ')}`,
        ],
        next: [
          ...(lacking.includes('--no-browser') ? [`Set no_browser: false for ${service.name}.`] : []),
          `Remove ${many ? 'them' : 'it'} from extra_args, or update ${service.executable ?? 'the program'} on ${host.name}.`,
        ],
      },
    ]
  },
}

/** The key of the inventory that sets a flag of the launch: an item of `extra_args`, or the field behind the flag. */
export function keyOfFlag({ kind, extraArgs }: Service, flag: string): KeyPath {
  const index = extraArgs.findIndex((word) => word === flag || word.startsWith(`${flag}=`))
  if (index >= 0) return ['extra_args', index]
  return [settingOfFlag(serverKinds[kind].fields, flag)?.field ?? 'executable']
}

/** A running server was started from another file, and keeps running until it or its host stops. */
function consequence({ service, before }: ActionContext): string {
  return ownMember(before.services, service.name)?.running === true
    ? `${service.name} runs, but would exit with a usage error at its next start`
    : `${service.name} would exit with a usage error at its start`
}

/** The flags in the help of the host's own executable. Unknown in a container: apply asks the image (`managers/compose/look-at-image.ts`). */
export function listedFlags({ facts, service }: Pick<ActionContext, 'facts' | 'service'>): Observed<readonly string[]> {
  const executable = service.executable === undefined ? undefined : facts.executables[service.executable]
  if (inContainer(service) || executable?.known !== true || executable.value === null) {
    return { known: false, because: 'not-gathered' }
  }
  const { flags } = executable.value
  // A text without a single flag is not a help text.
  return flags.known && flags.value.length === 0
    ? { known: false, because: 'unreadable' }
    : flags.known
      ? known(flags.value)
      : flags
}
