import type { Context } from '../../context/context.ts'
import { type NewHost, newInventory } from '../../inventory/create/new-inventory.ts'
import type { Target } from '../../inventory/create/target.ts'
import { defaultSettings } from '../../inventory/defaults.ts'
import { defined } from '../../lib/defined.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Problem } from '../../model/plan.ts'
import { createStartLimiter } from '../../transports/start-limiter.ts'
import { askForKey } from '../../transports/trust/ask-for-key.ts'
import type { Observation } from '../planning-run.ts'
import type { HostFlags } from '../run.ts'
import { withDraft } from './draft.ts'

/** What was seen of a host, as root where that is needed and possible. */
export interface SeenHost {
  readonly target: Target
  readonly facts: HostFacts | Problem
  /** As in `NewHost`. */
  readonly root?: 'sudo' | 'password'
}

/**
 * Looks at hosts, which are in no inventory yet. Writes on none of them.
 *
 * @param canAsk there is a terminal: keys of hosts that ssh does not know yet are asked about there
 */
export async function lookAtHosts(
  context: Context,
  flags: HostFlags,
  targets: readonly Target[],
  canAsk: boolean,
): Promise<readonly SeenHost[]> {
  const first = await observe(context, flags, targets)
  const strangers = targets.filter(({ name }) => isStranger(first.get(name)))
  if (canAsk) for (const target of strangers) await askAbout(context, flags, target)
  const again = canAsk ? await observe(context, flags, strangers) : first
  const seen = new Map([...first, ...again])
  const wanting = targets.filter(({ name }) => wantsRoot(seen.get(name)))
  // A refusal by sudo is no problem, so nothing is shown of it.
  const asRoot = await observe(
    context,
    { ...flags, quiet: true },
    wanting.map((target) => ({ ...target, root: 'sudo' })),
  )
  return targets.flatMap((target): readonly SeenHost[] => {
    const [facts, rootFacts] = [seen.get(target.name), asRoot.get(target.name)]
    if (facts === undefined) return []
    if (rootFacts === undefined) return [{ target, facts }]
    return [isSeen(rootFacts) ? { target, facts: rootFacts, root: 'sudo' } : { target, facts, root: 'password' }]
  })
}

export function isSeen(facts: HostFacts | Problem | undefined): facts is HostFacts {
  return facts !== undefined && 'salt' in facts
}

async function observe(context: Context, flags: HostFlags, hosts: readonly NewHost[]): Promise<Observation> {
  if (hosts.length === 0) return new Map()
  return withDraft(context, flags, newInventory(hosts, defaultSettings), (run) =>
    run.observe(run.open.hosts, { keep: false, phase: 'gather' }),
  )
}

function isStranger(facts: HostFacts | Problem | undefined): boolean {
  return facts !== undefined && !isSeen(facts) && facts.code === 'CONNECT.HOST_KEY_UNKNOWN'
}

async function askAbout(context: Context, flags: HostFlags, { name, address = name, port, user }: Target): Promise<void> {
  const { env, signal, err } = context
  err.writeProse(`\nssh does not know the key of ${err.paint(['bold'], name)} yet.\n`)
  const destination = { name: address, sshArgs: [], ...defined({ port, user }) }
  await askForKey(destination, { env, signal, startLimiter: createStartLimiter(), ...defined({ sshConfig: flags.sshConfig }) })
}

/** System units belong to root, and only root sees the servers of all accounts, or uses the container engine where no group may. */
function wantsRoot(facts: HostFacts | Problem | undefined): boolean {
  if (!isSeen(facts)) return false
  const { platform, layout, systemd, containers } = facts
  if (!platform.known || platform.value.os !== 'linux' || !layout.known || layout.value.effectiveUid === 0) return false
  return (systemd.known && systemd.value.version !== null) || !containers.known
}
