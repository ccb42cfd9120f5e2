import { ConvergeError } from '../errors/converge-error.ts'
import { playHosts } from '../inventory/select.ts'
import { defined } from '../lib/defined.ts'
import { converge } from '../lib/next-command.ts'
import type { OpenFleet } from './open-fleet.ts'
import { narrowShard } from './open-shard.ts'
import type { SelectedPlay } from './plays.ts'

/** The run with its shard counted over the hosts of its plays only. */
export function withinPlays<Run extends { readonly open: OpenFleet }>(run: Run, plays: readonly SelectedPlay[]): Run {
  const { open } = run
  if (open.shard === undefined) return run
  const all = open.shard.all.map(({ name }) => name)
  const played = new Set(plays.flatMap(({ play }) => playHosts(open.fleet, play.hosts, all)))
  const shard = narrowShard(open.shard, ({ name }) => played.has(name))
  return { ...run, open: { ...open, ...defined({ shard }) } }
}

/**
 * Refuses to carry out plays that go by the results of other hosts: each shard would count its own hosts alone.
 *
 * @throws ConvergeError `USAGE.WHOLE_FLEET`
 */
export function mustNotCountHosts({ shard }: OpenFleet, plays: readonly SelectedPlay[]): void {
  if (shard === undefined || shard.isGiven === true) return
  const reason = countingReason(plays)
  if (reason === undefined) return
  throw new ConvergeError('USAGE.WHOLE_FLEET', {
    summary: 'This playbook cannot be applied in shards. Nothing was done.',
    why: `${reason} Each shard is a process of its own and counts only its own hosts.`,
    next: [
      'Apply it with `--shard none`.',
      'Or apply the hosts to try first without shards, and the others in shards with a playbook that has one play and no limits.',
      converge(['plan', '--limit', 'HOSTS', '--out', 'wave-1.plan'], {
        say: 'Or save a plan for each wave, and apply one after another:',
      }),
    ],
  })
}

function countingReason(plays: readonly SelectedPlay[]): string | undefined {
  const serial = plays.find(({ play }) => play.serial !== undefined)
  if (serial !== undefined) return `The play "${serial.play.name}" has \`serial\`: its batches wait for each other.`
  const limited = plays.find(({ play }) => play.limitsFailures === true && play.maxFailPercentage < 100)
  if (limited !== undefined)
    return `The play "${limited.play.name}" has \`max_fail_percentage\`: a share of all its hosts decides whether the others are changed.`
  return plays.length > 1 ? 'It has several plays: each begins when the one before is done on all hosts.' : undefined
}
