import { ownMember } from '../../lib/own-member.ts'
import { inContainer } from '../../managers/traits.ts'
import type { Service } from '../../model/fleet.ts'
import { known, type Observed } from '../../model/observed.ts'
import type { KeyPath } from '../../model/source.ts'
import { flagsOf } from '../../servers/flags.ts'
import { serverKinds } from '../../servers/index.ts'
import { bringsUp } from '../brings-up.ts'
import type { ActionContext, Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const flagUnsupported: Rule = {
  code: 'FLAG.UNSUPPORTED',
  severity: 'refuse',
  title: "The host's own executable does not know a flag of the launch.",
  explain:
    "The help of the host's own executable does not list a flag of this launch. Builds differ: a build that does not know the flag exits with a " +
    'usage error, and the manager restarts it forever. Remove the flag (`extra_args`, `no_browser: false`), update the program, or approve the ' +
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
        why: `${service.executable ?? 'the executable'} on ${host.name} lists no ${lacking.join(', ')} in its help; ${whatThen(context)}.`,
        evidence: [
          ...lacking.map((flag) => inventoryLine(service, keyOfFlag(service, flag), `${service.name}: ${flag}`)),
          inventoryLine(service, ['executable'], `${service.name}: executable ${service.executable ?? ''}`),
          `flags of the launch that its help lacks: ${lacking.join(', ')}`,
        ],
        next: [
          ...(lacking.includes('--no-browser') ? [`Set no_browser: false for ${service.name}.`] : []),
          `Take ${many ? 'them' : 'it'} out of extra_args, or update ${service.executable ?? 'the program'} on ${host.name}.`,
        ],
      },
    ]
  },
}

/** What of the inventory makes the launch have a flag: its own word among the arguments, or the field behind it. */
export function keyOfFlag({ kind, extraArgs }: Service, flag: string): KeyPath {
  const index = extraArgs.findIndex((word) => word === flag || word.startsWith(`${flag}=`))
  if (index >= 0) return ['extra_args', index]
  const { flags, harmlessFlags } = serverKinds[kind].fields
  const key = ownMember(flags, flag) ?? ownMember(harmlessFlags, flag)
  return [key ?? 'executable']
}

/** A server that runs was started from another file, and goes on until somebody stops it, or its host. */
function whatThen({ service, before }: ActionContext): string {
  return ownMember(before.services, service.name)?.running === true
    ? `${service.name} runs, but would not start again: it would end with a usage error`
    : `${service.name} would end with a usage error as soon as it starts`
}

/** What the host's own executable says it knows. Unknown in a container: its image is asked by apply (`managers/compose/look-at-image.ts`). */
export function listedFlags({ facts, service }: Pick<ActionContext, 'facts' | 'service'>): Observed<readonly string[]> {
  const executable = service.executable === undefined ? undefined : facts.executables[service.executable]
  if (inContainer(service) || executable?.known !== true || executable.value === null) {
    return { known: false, because: 'not-gathered' }
  }
  const { flags } = executable.value
  // A help text without a single flag is no help text.
  return flags.known && flags.value.length === 0
    ? { known: false, because: 'unreadable' }
    : flags.known
      ? known(flags.value)
      : flags
}
