import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { hostBug } from '../errors/host-bug.ts'
import { describeReference } from '../inventory/secret-reference.ts'
import { defined } from '../lib/defined.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host } from '../model/fleet.ts'
import type { Problem } from '../model/plan.ts'
import { checkDestinations } from './deliver.ts'
import { resolveKeys, type SecretResolver } from './keys.ts'
import { type OpenFleet, withinReach } from './open-fleet.ts'
import { openReported } from './open-reported.ts'
import type { PlanningFlags, PlanningRun } from './planning-run.ts'
import { readFacts } from './read-facts.ts'
import { standIns } from './stand-ins.ts'

export interface SnapshotFlags extends PlanningFlags {
  readonly facts?: string | undefined
  /** Milliseconds. */
  readonly factsMaxAge?: number | undefined
  /** The inventory is one's own: its keys are asked for, and its links followed. */
  readonly runSecretCommands?: true | undefined
}

/**
 * The folder that `--facts` names; undefined: the hosts are to be looked at.
 *
 * @throws ConvergeError `USAGE.FACTS` for what does not go together with it
 */
export function snapshotRun({
  facts,
  factsMaxAge,
  out,
  events,
  runSecretCommands,
  secretCommands,
}: SnapshotFlags & Needless): string | undefined {
  if (runSecretCommands === true && secretCommands === false)
    throw notTogether(
      'The one asks for the keys of the inventory, the other keeps from it.',
      'one of --run-secret-commands and --no-secret-commands',
    )
  if (facts === undefined && factsMaxAge !== undefined)
    throw notTogether('--facts-max-age says how old the files of --facts may be.', '--facts DIR')
  if (facts !== undefined && out !== undefined)
    throw notTogether(
      'A plan that is saved is applied to hosts that were looked at, not to what a file says of them.',
      'no --out',
    )
  if (facts !== undefined && events !== undefined)
    throw notTogether('Where no host is contacted, there are no events to tell.', 'no --events')
  return facts
}

/** What of a plan needs the hosts. */
interface Needless {
  readonly out?: string | undefined
  readonly events?: string | undefined
}

function notTogether(why: string, instead: string): ConvergeError {
  return new ConvergeError('USAGE.FACTS', {
    summary: 'These options cannot be combined.',
    why: `${why} Nothing was done.`,
    next: [`Call it again with ${instead}.`],
  })
}

/** In place of the hosts. */
export interface Kept {
  readonly folder: string
  /** How keys are come by, where it is not by stand-ins: given by who may start processes. */
  readonly resolve?: SecretResolver
}

/**
 * A run for which files stand in for the hosts. Its inventory may be a stranger's: unless somebody says otherwise, nothing that it names is
 * run, and no file outside of it is read. No import leads from here to a connection, nor to what starts a process.
 */
export async function openSnapshotRun(context: Context, flags: SnapshotFlags, { folder, resolve }: Kept): Promise<PlanningRun> {
  await checkDestinations(flags)
  const open = withinReach(context, await openReported(context, { ...flags, secretCommands: resolve !== undefined }))
  const keys = await resolveKeys(open.hosts, resolve ?? standIns(context))
  if (resolve === undefined) sayNotAsked(context, open, flags)
  const { factsMaxAge } = flags
  const kept = {
    folder,
    fleet: open.fleet,
    keys,
    now: context.now(),
    ...defined({ maxAgeMs: factsMaxAge }),
  }
  const read = async (host: Host): Promise<[string, HostFacts | Problem]> => {
    try {
      return [host.name, await readFacts(kept, host)]
    } catch (error) {
      return [host.name, hostBug(host.name, error).toProblem()]
    }
  }
  return {
    context,
    // Nothing new was seen, and what somebody plans with a change of the inventory is not what the hosts are like.
    flags: { ...flags, notify: false },
    open,
    keys,
    factsFolder: folder,
    observe: async (hosts) => {
      const seen: [string, HostFacts | Problem][] = []
      // One after another: of a thousand hosts all files at once would be more than may be open.
      for (const host of open.fleet.hosts) if (hosts.includes(host)) seen.push(await read(host))
      return new Map(seen)
    },
    stopDisplay: async () => undefined,
  }
}

/** Reports say it of each service where they tell warnings; whoever looks for drift has none. */
function sayNotAsked({ err }: Context, { hosts, selects }: OpenFleet, { quiet }: SnapshotFlags): void {
  const services = hosts.flatMap((host) => host.services.filter(selects))
  const told = services.flatMap(({ name, host, key, state }) =>
    key === undefined || 'env' in key || state === 'absent' ? [] : [`${name} on ${host} (${describeReference(key)})`],
  )
  if (told.length === 0 || quiet === true) return
  const rest = told.length > mostTold ? ` and ${told.length - mostTold} more` : ''
  err.writeProse(`Keys that are not asked for, and unknown: ${told.slice(0, mostTold).join(', ')}${rest}.\n`)
}

const mostTold = 10
