import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { playHosts } from '../inventory/select.ts'
import { selectServices } from '../inventory/select-services.ts'
import { defined } from '../lib/defined.ts'
import { globMatches } from '../lib/glob.ts'
import { converge } from '../lib/next-command.ts'
import { loadPlaybook } from '../load/load.ts'
import { renderIssues } from '../load/render-issues.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import type { RunSelection } from '../model/journal.ts'
import { type Approval, type BatchSize, defaultPlayName, type Play } from '../model/playbook.ts'
import { originWords } from '../policy/approvals.ts'
import { checkCode } from '../policy/approve.ts'
import type { OpenFleet } from './open-fleet.ts'

/** A play and its selection, with `--limit` and `--service` applied. */
export interface SelectedPlay {
  readonly play: Play
  readonly hosts: readonly Host[]
  /** Names of services. A service on a host belongs to the first play that selects it. */
  readonly services: readonly string[]
  /** Whether the play includes settings of the hosts themselves: only if play and run select all services. */
  readonly settings: boolean
  /** `host/service`: it selects nothing else. Absent: all that hosts and services select. */
  readonly only?: ReadonlySet<string>
}

/** Without a playbook: one play over all selected hosts. */
export const defaultPlay: Play = {
  name: defaultPlayName,
  hosts: 'all',
  services: ['*'],
  maxFailPercentage: 0,
  verify: 'smoke',
  approvals: [],
}

/** How an upgrade is rolled out where a play does not say it. */
export interface UpgradeRollout {
  readonly serial?: readonly BatchSize[]
  readonly maxSlowdown?: number
}

/** In the journal of a run. */
export function notedRollout({ serial, maxSlowdown }: UpgradeRollout): NonNullable<RunSelection['upgrade']> {
  return defined({ serial, max_slowdown: maxSlowdown })
}

/** One host first, then all others; and no server that answers three times as slowly. */
const carefully = { serial: [{ count: 1 }, { percent: 100 }], maxSlowdown: 3 } as const

/** A play as an upgrade runs it. Settings of the hosts have no version. */
export function upgradePlay({ play, ...selected }: SelectedPlay, rollout: UpgradeRollout): SelectedPlay {
  const { serial = rollout.serial ?? carefully.serial, maxSlowdown = rollout.maxSlowdown ?? carefully.maxSlowdown } = play
  return { ...selected, settings: false, play: { ...play, serial, maxSlowdown } }
}

/** The plays of a playbook, or the default one. */
export async function selectPlays(
  context: Context,
  open: OpenFleet,
  playbook: string | undefined,
): Promise<readonly SelectedPlay[]> {
  if (playbook === undefined) {
    const services = serviceNames(open, defaultPlay, open.hosts)
    return [{ play: defaultPlay, hosts: open.hosts, services, settings: open.everyService }]
  }
  const byName = new Map(open.hosts.map((host) => [host.name, host]))
  const all = (open.shard?.all ?? open.hosts).map(({ name }) => name)
  const read = await readPlays(context, playbook, open)
  const plays = read.map((play) => {
    checkPlay(open.fleet, play)
    const hosts = playHosts(open.fleet, play.hosts, all).flatMap((name) => byName.get(name) ?? [])
    const settings = open.everyService && play.services.includes('*')
    return { play, hosts, services: serviceNames(open, play, hosts), settings }
  })
  if (read.every((play) => playHosts(open.fleet, play.hosts, all).length === 0)) throw nothingInCommon(playbook)
  return plays
}

/**
 * Checks that everything a play names exists, regardless of `--limit`.
 *
 * @throws ConvergeError when the play or one of its approvals selects nothing, or when an approval names a rule that cannot be
 *   overruled
 */
export function checkPlay(fleet: Fleet, play: Play): void {
  const selected = new Set(inPlay(play, () => playHosts(fleet, play.hosts, undefined)))
  const services = inPlay(play, () => selectServices(namesOnHosts(fleet.hosts, selected), play.services))
  const hosts = fleet.hosts.filter(({ name }) => selected.has(name))
  for (const approval of play.approvals) {
    checkCode(approval)
    const concerned = hosts.filter(({ name }) => approval.host === undefined || globMatches(approval.host, name))
    const names = concerned.flatMap((host) => host.services.map(({ name }) => name)).filter((name) => services.includes(name))
    if (!names.some((name) => globMatches(approval.service, name))) throw coversNothing(play, approval)
  }
}

/** Adds the play's name to errors of patterns and globs. */
function inPlay<T>(play: Play, look: () => T): T {
  try {
    return look()
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    throw new ConvergeError(error.code, { ...error.toProblem(), why: `In the play "${play.name}": ${error.why}` })
  }
}

function coversNothing(play: Play, approval: Approval): ConvergeError {
  const where = approval.host === undefined ? '' : ` on ${approval.host}`
  return new ConvergeError('USAGE.APPROVAL_UNUSED', {
    summary: 'An approval matches nothing that its play selects.',
    why: `${originWords(approval)} allows ${approval.code} for ${approval.service}${where}, and "${play.name}" has no such service.`,
    next: [
      converge(['hosts', '--json'], { note: 'lists hosts and their services' }),
      'Correct its service and host, or remove the approval.',
    ],
  })
}

function namesOnHosts(hosts: readonly Host[], selected: ReadonlySet<string>): readonly string[] {
  return [...new Set(hosts.filter((host) => selected.has(host.name)).flatMap((host) => host.services.map((one) => one.name)))]
}

function nothingInCommon(playbook: string): ConvergeError {
  return new ConvergeError('USAGE.NO_HOSTS', {
    summary: 'No host is selected.',
    why: `The plays of ${playbook} and --limit have no host in common.`,
    next: [converge(['hosts', '--limit', 'PATTERN']), 'Omit --limit to run the playbook on all its hosts.'],
  })
}

async function readPlays(context: Context, path: string, { fleet, isClosed = false }: OpenFleet): Promise<readonly Play[]> {
  const { plays, warnings } = await loadPlaybook(path, { isClosed }).catch((error: unknown) => {
    throw isHostFor(path, error, fleet) ? hostForPlaybook(path, error) : error
  })
  if (warnings.length > 0) context.err.writeProse(`${await renderIssues(warnings, context.err)}\n\n`)
  return plays
}

/** `plan nas`: the argument is a host, not a playbook. */
function isHostFor(path: string, error: unknown, { hosts, groups }: Fleet): error is ConvergeError {
  if (!(error instanceof ConvergeError) || error.code !== 'PLAYBOOK.NOT_FOUND') return false
  return [...hosts, ...groups].some(({ name }) => name === path)
}

function hostForPlaybook(name: string, { code, ...error }: ConvergeError): ConvergeError {
  return new ConvergeError(code, {
    summary: error.summary,
    why: `${error.why} ${name} is a host or group of the inventory; select it with --limit.`,
    next: [converge(['plan', '--limit', name])],
  })
}

function serviceNames(open: OpenFleet, play: Play, hosts: readonly Host[]): readonly string[] {
  const services = hosts
    .flatMap((host) => host.services)
    .filter((service) => open.selects(service) && play.services.some((glob) => globMatches(glob, service.name)))
  return [...new Set(services.map((service) => service.name))]
}

/** `--allow CODE@SERVICE[@HOST]`, with one `--reason` for all. */
export function approvalsFromFlags(allow: readonly string[], reason: string | undefined): readonly Approval[] {
  if (allow.length === 0 && reason !== undefined) throw wrongApproval('--reason needs --allow.')
  return allow.map((text) => {
    const [code, service, host, ...rest] = text.split('@')
    if (code === undefined || code === '' || service === undefined || service === '' || host === '' || rest.length > 0)
      throw wrongApproval(`"${text}" does not have the form CODE@SERVICE or CODE@SERVICE@HOST.`)
    if (reason === undefined || reason.trim() === '')
      throw wrongApproval(`--allow ${text} overrules a refusal and needs a reason.`)
    const approval = { code, service, ...defined({ host }), reason, origin: { flag: `--allow ${text}` } }
    checkCode(approval)
    return approval
  })
}

function wrongApproval(why: string): ConvergeError {
  return new ConvergeError('USAGE.ALLOW', {
    summary: 'An approval is incomplete.',
    why,
    next: ['For example:  --allow WARM.RESTART@flagship --reason "weekend upgrade"'],
  })
}
