import { ConvergeError } from '../errors/converge-error.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host } from '../model/fleet.ts'
import type { Problem } from '../model/plan.ts'
import type { Context } from './context.ts'
import { checkDestinations } from './deliver.ts'
import { createSecretResolver, resolveKeys } from './keys.ts'
import { openReported } from './open-reported.ts'
import type { PlanningFlags, PlanningRun } from './planning-run.ts'
import { readFacts } from './read-facts.ts'

export interface KeptFactsFlags extends PlanningFlags {
  readonly facts?: string | undefined
  /** Milliseconds. */
  readonly factsMaxAge?: number | undefined
}

/**
 * The folder that `--facts` names; undefined: the hosts are to be looked at.
 *
 * @throws ConvergeError `USAGE.FACTS` for what does not go together with it
 */
export function keptFacts({ facts, factsMaxAge, out, events }: KeptFactsFlags & Needless): string | undefined {
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
    summary: 'These options do not go together.',
    why: `${why} Nothing was done.`,
    next: [`Call it again with ${instead}.`],
  })
}

/** A run for which files stand in for the hosts. No import leads from here to a connection. */
export async function openKeptFactsRun(context: Context, flags: KeptFactsFlags, folder: string): Promise<PlanningRun> {
  await checkDestinations(flags)
  const open = await openReported(context, flags)
  const keys = await resolveKeys(open.fleet, open.names, createSecretResolver(context))
  const { factsMaxAge } = flags
  const kept = {
    folder,
    fleet: open.fleet,
    keys,
    now: context.now(),
    ...(factsMaxAge === undefined ? {} : { maxAgeMs: factsMaxAge }),
  }
  const read = async (host: Host): Promise<[string, HostFacts | Problem]> => {
    try {
      return [host.name, await readFacts(kept, host)]
    } catch (error) {
      if (!(error instanceof ConvergeError)) throw error
      return [host.name, error.toProblem()]
    }
  }
  return {
    context,
    // Nothing new was seen, and what somebody plans with a change of the inventory is not what the hosts are like.
    flags: { ...flags, notify: false },
    open,
    keys,
    factsFolder: folder,
    observe: async (names) => {
      const seen: [string, HostFacts | Problem][] = []
      // One after another: of a thousand hosts all files at once would be more than may be open.
      for (const host of open.fleet.hosts) if (names.includes(host.name)) seen.push(await read(host))
      return new Map(seen)
    },
    stopDisplay: async () => undefined,
  }
}
