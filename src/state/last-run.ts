import { realpath } from 'node:fs/promises'
import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { converge } from '../lib/next-command.ts'
import type { Fleet } from '../model/fleet.ts'
import { runsOf } from './journals.ts'
import { noRun } from './resumption.ts'

/** Hosts of the last run of an inventory, for `@failed` and `@unreached`. */
export interface LastRun {
  readonly id: string
  /** `failed`: something failed, is in doubt or was not proved; `unreached`: unreachable, or the run did not get there. */
  readonly hosts: { readonly failed: readonly string[]; readonly unreached: readonly string[] }
}

/** Whether a `--limit` refers to the last run; a file of that name is `@./failed`. */
export function namesLastRun(limit: string): boolean {
  return /(?:^|[\s,:])@(?:failed|unreached)(?=$|[\s,:])/.test(limit)
}

/** @throws ConvergeError `RESUME.NO_RUN` */
export async function readLastRun(context: Pick<Context, 'env' | 'cwd' | 'err'>, fleet: Fleet): Promise<LastRun> {
  const inventory = await realpath(fleet.path)
  for await (const { begun, hosts } of runsOf(context, inventory)) {
    const known = new Set(fleet.hosts.map(({ name }) => name))
    const gone = hosts.filter(({ host, state }) => state !== 'finished' && !known.has(host)).map(({ host }) => host)
    if (gone.length > 0)
      context.err.writeProse(
        `The last run did not finish ${gone.join(', ')} either, but the inventory no longer has ${gone.length === 1 ? 'that host' : 'those hosts'}.\n`,
      )
    const those = (category: 'failed' | 'unreached') =>
      hosts.filter(({ host, state }) => state === category && known.has(host)).map(({ host }) => host)
    return { id: begun.run_id, hosts: { failed: those('failed'), unreached: those('unreached') } }
  }
  throw noRun(fleet.path)
}

/** Replaces the error for an empty host file. */
export function noHostLeft(limit: string, { id }: LastRun): ConvergeError {
  return new ConvergeError('USAGE.NO_HOSTS', {
    summary: 'A host pattern matches no host.',
    why: `The last run of this inventory, ${id}, left no host that \`${limit}\` selects. \`@failed\` selects hosts where the run failed, was not verified, or has an unknown outcome; \`@unreached\` selects hosts that were unreachable or not started.`,
    next: [converge(['hosts'], { say: 'List hosts:' }), 'A file of that name is written `@./failed`.'],
  })
}
