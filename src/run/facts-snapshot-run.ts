import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { hostBug } from '../errors/host-bug.ts'
import { isManagedService } from '../inventory/is-managed-service.ts'
import { describeReference } from '../inventory/secret-reference.ts'
import { defined } from '../lib/defined.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host } from '../model/fleet.ts'
import type { Problem } from '../model/plan.ts'
import { announceShard } from './announce-shard.ts'
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
  /** The inventory is trusted: its keys are resolved and its links followed. */
  readonly runSecretCommands?: true | undefined
}

/**
 * The folder that `--facts` names; undefined: use the hosts.
 *
 * @throws ConvergeError `USAGE.FACTS` for options that cannot be combined with it
 */
export function snapshotRun({
  facts,
  factsMaxAge,
  out,
  events,
  runSecretCommands,
  secretCommands,
}: SnapshotFlags & HostOptions): string | undefined {
  if (runSecretCommands === true && secretCommands === false)
    throw notTogether(
      'One option runs the secret commands of the inventory, the other forbids it.',
      'one of --run-secret-commands and --no-secret-commands',
    )
  if (facts === undefined && factsMaxAge !== undefined)
    throw notTogether('--facts-max-age limits the age of the files of --facts.', '--facts DIR')
  if (facts !== undefined && out !== undefined)
    throw notTogether('A saved plan must be made from the hosts themselves, not from a facts snapshot.', 'no --out')
  if (facts !== undefined && events !== undefined)
    throw notTogether('Without contact to hosts there are no events.', 'no --events')
  return facts
}

/** Options that need the hosts. */
interface HostOptions {
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

/** Where facts and keys come from instead of the hosts. */
export interface SnapshotSource {
  readonly folder: string
  /** Resolves keys; absent: stand-ins. Only callers that may start processes pass it. */
  readonly resolve?: SecretResolver
}

/**
 * A run that reads facts from files instead of hosts. Its inventory may be untrusted: by default nothing that it names is
 * run, and no file outside of it is read. No import leads from here to a connection or to code that starts a process.
 */
export async function openSnapshotRun(
  context: Context,
  flags: SnapshotFlags,
  { folder, resolve }: SnapshotSource,
): Promise<PlanningRun> {
  await checkDestinations(flags)
  const open = withinReach(context, await openReported(context, { ...flags, secretCommands: resolve !== undefined }))
  announceShard(context, open, flags)
  const keys = await resolveKeys(open.hosts, resolve ?? standIns(context))
  if (resolve === undefined) listSkippedKeys(context, open, flags)
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
    // A snapshot shows nothing new, and a plan for a changed inventory says nothing about the hosts' state.
    flags: { ...flags, notify: false },
    open,
    keys,
    factsFolder: folder,
    observe: async (hosts) => {
      const seen: [string, HostFacts | Problem][] = []
      // One after another: a thousand hosts would exceed the limit of open files.
      for (const host of open.fleet.hosts) if (hosts.includes(host)) seen.push(await read(host))
      return new Map(seen)
    },
    stopDisplay: async () => undefined,
  }
}

/** Lists keys that are not resolved. Reports with warnings say it for each service, but drift reports have none. */
function listSkippedKeys({ err }: Context, { hosts, selects }: OpenFleet, { quiet }: SnapshotFlags): void {
  const services = hosts.flatMap((host) => host.services.filter(selects))
  const skipped = services
    .filter(isManagedService)
    .flatMap(({ name, host, key }) =>
      key === undefined || 'env' in key ? [] : [`${name} on ${host} (${describeReference(key)})`],
    )
  if (skipped.length === 0 || quiet === true) return
  const rest = skipped.length > maxListed ? ` and ${skipped.length - maxListed} more` : ''
  err.writeProse(`Keys not resolved, so unknown: ${skipped.slice(0, maxListed).join(', ')}${rest}.\n`)
}

const maxListed = 10
