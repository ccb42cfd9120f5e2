import { type Context, contextGiven } from '../../context/context.ts'
import { type ExitCode, exitCodes, worstOf } from '../../context/exit-code.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import type { Profile } from '../../model/fleet.ts'
import type { Operations } from '../../model/operation.ts'
import type { Plan } from '../../model/plan.ts'
import { inverseOperations } from '../../plan/inverse-operations.ts'
import { profileStatus, renderProfiles } from '../../report/profiles-text.ts'
import { deliver } from '../../run/deliver.ts'
import { openFleet } from '../../run/open-fleet.ts'
import type { Observation } from '../../run/planning-run.ts'
import { type HostFlags, withRun } from '../../run/run.ts'
import { unseenExit } from '../../run/unseen-exit.ts'
import { findProfile } from '../find-profile.ts'
import { type OperationOptions, operationOf, runOperations } from '../operation-verb.ts'
import { mustBeUnsharded } from '../unsharded.ts'
import { withUseOptions } from '../use-options.ts'
import type { Verb } from '../verb.ts'

/** `converge use [PROFILE]`: brings the services of a profile to their states, all of them or none; alone, shows which profile holds. */
export const verb: Verb = {
  configure(command, finish) {
    withUseOptions(command).action((name, options) =>
      finish(async (context) => {
        mustBeUnsharded(context, 'use', 'A profile is used on all of its hosts or on none.')
        const { fleet } = await openFleet(context, options)
        if (name === undefined) return showProfiles(context, fleet.profiles ?? [], options)
        const profile = findProfile(fleet, name)
        const lasts = options.until === undefined ? [] : ['--until', options.until.text]
        const operations = new Map(
          profile.states.map(({ host, service, state }) => [
            `${host}/${service}`,
            operationOf(context, state === 'stopped' ? 'stop' : 'start', options),
          ]),
        )
        return useProfile(contextGiven(context, { ...context.given, operation: ['use', name, ...lasts] }), operations, options)
      }),
    )
  },
}

/** If a part of it fails, what ran before is restored. */
async function useProfile(context: Context, operations: Operations, options: OperationOptions): Promise<ExitCode> {
  let before: Operations = new Map()
  const whole = (plan: Plan, facts: Observation) => {
    mustBeWhole(plan, options.lockTimeout !== undefined)
    before = inverseOperations(plan, facts, operations)
  }
  const exit = await runOperations(context, { verb: 'use', operations, whole }, options)
  if (before.size === 0 || exit === exitCodes.done || exit === exitCodes.interrupted) return exit
  context.err.writeProse('\nThe profile could not be used. Restoring the states from before.\n')
  const restored = await runOperations(
    context,
    { verb: 'use', operations: before },
    { ...options, confirm: true, allow: undefined, reason: undefined },
  )
  if (restored !== exitCodes.done) context.err.writeProse('\nNot all states from before are restored: see `converge status`.\n')
  return exit
}

/** @throws ConvergeError `OPERATION.PROFILE_REFUSED`, `OPERATION.PROFILE_UNREACHABLE` */
function mustBeWhole({ hosts }: Plan, waits: boolean): void {
  const unseen = hosts.filter(({ reachable }) => !reachable).map(({ host }) => host)
  // Another run is at work there, and this one would not wait for it.
  const locked = waits ? [] : hosts.flatMap(({ warnings }) => warnings.filter(({ code }) => code === 'HOST.LOCKED'))
  const refused = [...hosts.flatMap(({ refusals }) => refusals), ...locked]
  if (unseen.length === 0 && refused.length === 0) return
  const next = [...new Set(refused.map(({ code }) => code))].map((code) => converge(['explain', code]))
  if (unseen.length > 0)
    throw new ConvergeError('OPERATION.PROFILE_UNREACHABLE', {
      summary: 'A host of the profile cannot be reached. Nothing was done.',
      why: `No facts could be gathered on ${unseen.join(', ')}, and a profile is used as a whole.`,
      next: [converge(['status', '--limit', unseen.join(',')])],
    })
  throw new ConvergeError('OPERATION.PROFILE_REFUSED', {
    summary: 'A part of the profile is refused. Nothing was done.',
    why: `${refused.map(({ code, service }) => `${code}${service === undefined ? '' : ` for ${service}`}`).join(', ')}; and a profile is used as a whole.`,
    next,
  })
}

async function showProfiles(context: Context, profiles: readonly Profile[], flags: HostFlags): Promise<ExitCode> {
  const hosts = [...new Set(profiles.flatMap(({ states }) => states.map(({ host }) => host)))]
  if (hosts.length === 0) {
    await deliver(
      { context, flags },
      { document: { schema: 'converge/profiles/v1', profiles: [] }, text: () => 'The inventory has no profiles.\n' },
    )
    return exitCodes.done
  }
  return withRun(context, { ...flags, hosts }, async (run) => {
    const seen = await run.observe(run.open.hosts, { keep: false, phase: 'gather' })
    await run.stopDisplay()
    const status = profiles.map((profile) => profileStatus(profile, run.open.fleet, seen))
    const document = { schema: 'converge/profiles/v1', profiles: status }
    await deliver(run, { document, text: (paint) => renderProfiles(status, paint) })
    return worstOf([exitCodes.done, ...[...seen.values()].flatMap((facts) => ('salt' in facts ? [] : [unseenExit(facts)]))])
  })
}
