import { hostname, userInfo } from 'node:os'
import { type Context, contextGiven } from '../context/context.ts'
import type { ExitCode } from '../context/exit-code.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { isManagedService } from '../inventory/is-managed-service.ts'
import { defined } from '../lib/defined.ts'
import { converge } from '../lib/next-command.ts'
import { isOverrideWords, type Operation, type OperationVerb } from '../model/operation.ts'
import { withActingRun } from '../run/acting-run.ts'
import { applyRun } from '../run/apply-run.ts'
import { openFleet } from '../run/open-fleet.ts'
import type { OperationRun } from '../run/operations.ts'
import { planOnly } from '../run/plan-only.ts'
import { type HostFlags, withRun } from '../run/run.ts'
import { findService, type Target } from './find-service.ts'
import { actingOf, withActing, withHosts, withInventory } from './options.ts'
import { planningOf, withPlanning } from './planning-options.ts'
import { reasonHelp, type Until, until, untilHelp } from './until.ts'
import type { Verb } from './verb.ts'

interface Asked {
  readonly until?: Until | undefined
  readonly reason?: string | undefined
}

/** `converge start`, `stop` and `restart`: one action of a service, judged, shown, asked, done and proved like those of apply. */
export function operationVerb(verb: OperationVerb): Verb {
  return {
    configure(command, finish) {
      const own = command
        .argument('<service[@host]...>', 'services; @HOST may be omitted if only one host has the service')
        .option('-C, --check', 'plan only')
      const lasting =
        verb === 'restart'
          ? own
          : own.option('--until <time>', untilHelp(verb === 'stop' ? 'keep it stopped' : 'keep it running'), until)
      withActing(withPlanning(withHosts(withInventory(lasting)), reasonHelp)).action((names, options) =>
        finish(async (context) => {
          const { hosts } = await openFleet(context, options)
          const targets = names.map((name) => managed(findService(hosts, name, verb)))
          const asked: Asked = options
          const operation = operationOf(context, verb, asked)
          const asks = { verb, operations: new Map(targets.map((target) => [pairOf(target), operation])) }
          const lasts = asked.until === undefined ? [] : ['--until', asked.until.text]
          return runOperations(contextGiven(context, { ...context.given, operation: [verb, ...names, ...lasts] }), asks, options)
        }),
      )
    },
  }
}

/** What is asked of each service. */
export function operationOf(context: Pick<Context, 'now'>, verb: OperationVerb, { until: end, reason }: Asked): Operation {
  if (reason !== undefined && !isOverrideWords(reason)) throw longReason()
  const why = defined({ reason })
  if (end === undefined) return { verb, ...why }
  const now = context.now()
  const by = `${userInfo().username}@${hostname()}`
  return { verb, override: { until: end.at(now), by, since: now.toISOString(), ...why }, ...why }
}

export type OperationOptions = Parameters<typeof planningOf>[0] &
  Parameters<typeof actingOf>[0] &
  HostFlags & { readonly check?: true | undefined }

/** Plans what is asked and, without `--check`, does it. */
export async function runOperations(context: Context, asks: OperationRun, options: OperationOptions): Promise<ExitCode> {
  const { allow = [], reason } = options
  const { approvals, waitIdle, maxDowntime } = planningOf({ ...options, reason: allow.length === 0 ? undefined : reason })
  const pairs = [...asks.operations.keys()].map((pair) => pair.split('/'))
  const hosts = [...new Set(pairs.flatMap(([host]) => host ?? []))]
  const flags = { ...options, hosts, service: [...new Set(pairs.flatMap(([, service]) => service ?? []))] }
  const source = { playbook: undefined, approvals, asks, waitIdle, maxDowntime }
  if (options.check === true) return withRun(context, flags, (run) => planOnly(run, { ...source, detailedExitcode: false }))
  return withActingRun(context, flags, (run) => applyRun(run, { ...source, ...actingOf(options) }))
}

function longReason(): ConvergeError {
  return new ConvergeError('USAGE.UNTIL', {
    summary: 'The reason cannot be recorded.',
    why: 'It is shown in one line, and with --until it is kept on the host: it may have at most 200 characters.',
    next: ['Shorten it.'],
  })
}

export function pairOf({ host, service }: Target): string {
  return `${host.name}/${service.name}`
}

/** @throws ConvergeError `OPERATION.NOT_MANAGED` */
export function managed(target: Target): Target {
  const { host, service } = target
  if (isManagedService(service)) return target
  const isAbsent = service.state === 'absent'
  throw new ConvergeError('OPERATION.NOT_MANAGED', {
    summary: 'converge does not run this service.',
    why: `${service.name} on ${host.name} has \`state: ${service.state}\` in the inventory.`,
    next: isAbsent
      ? ['Set `state: running`, then run `converge apply`.']
      : [converge(['adopt', host.name], { say: 'To have converge manage it:' })],
  })
}
