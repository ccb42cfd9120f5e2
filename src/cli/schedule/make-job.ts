import { resolve } from 'node:path'
import type { Context } from '../../context/context.ts'
import { fromEnvironment } from '../../inventory/asked-shard.ts'
import { isManagedService } from '../../inventory/is-managed-service.ts'
import { defined } from '../../lib/defined.ts'
import { defaultInventory } from '../../load/default-inventory.ts'
import { controlCharacters } from '../../managers/key-text.ts'
import type { SecretReference, Service } from '../../model/fleet.ts'
import { checkDestinations } from '../../run/deliver.ts'
import { openFleet } from '../../run/open-fleet.ts'
import { checkName, scheduleFolder, unusable } from '../../run/schedule/schedule-place.ts'
import { commandOf, type ScheduledJob, spanWords } from '../../schedulers/job.ts'
import { stateFolder } from '../../state/state-folder.ts'
import { findProfile } from '../find-profile.ts'
import { readScheduledWords, type ScheduledWords } from './scheduled-words.ts'

/** What was asked for; times in milliseconds. */
export interface ScheduleOptions {
  readonly every?: number | undefined
  /** Seconds after midnight. */
  readonly at?: number | undefined
  readonly name?: string | undefined
  readonly jitter?: number | undefined
  readonly timeLimit?: number | undefined
}

const minuteS = 60
const shortest = 5 * minuteS
const dayS = 86_400
const longest = 7 * dayS

/** A run that only looks and is not over after an hour hangs, unless it was said that it takes longer. */
const usualLimit = 3600

/**
 * Everything that the entry needs, decided now: inventory, programs, environment. Reads the inventory, so that an error which each run
 * would repeat is reported at once.
 *
 * @param program Node and converge
 * @throws ConvergeError `USAGE.SCHEDULE`, and what the inventory and its selection throw
 */
export async function makeJob(
  context: Context,
  options: ScheduleOptions,
  { words, program }: { readonly words: readonly string[]; readonly program: readonly string[] },
): Promise<ScheduledJob> {
  const read = await readScheduledWords(words, context.cwd)
  if (read.verb === 'use' && options.at === undefined)
    throw unusable('the time', '`use` changes hosts: --at says when, for example --at 22:00.')
  const times = timesOf(read.verb, options)
  const name = checkName(options.name ?? read.verb)
  await checkDestinations(read.output)
  const { inventory, secrets } = await lookAtFleet(context, read)
  const job: ScheduledJob = {
    name,
    verb: read.verb,
    ...times,
    program,
    args: [
      ...(typeof read.options['inventory'] === 'string' ? [] : ['--inventory', inventory]),
      ...(writesPage(read) ? ['--refresh', spanWords(times.everyS)] : []),
      ...read.args,
    ],
    cwd: context.cwd,
    folder: scheduleFolder(context, name),
    environment: environmentFor(context),
    secrets,
  }
  checkCharacters(job)
  return job
}

/** A page shows how old it is, so that a schedule that has stopped is noticed. */
function writesPage({ output, options }: ScheduledWords): boolean {
  return (
    options['refresh'] === undefined && (output.format ?? []).some(({ format, file }) => format === 'html' && file !== undefined)
  )
}

function timesOf(
  verb: string,
  { every, at, jitter = 0, timeLimit }: ScheduleOptions,
): Pick<ScheduledJob, 'everyS' | 'atS' | 'jitterS' | 'limitS'> {
  const everyS = at === undefined ? intervalS(every) : dayS
  const jitterS = jitter / 1000
  if (jitterS >= everyS || !Number.isInteger(jitterS))
    throw unusable('the jitter', `--jitter takes whole seconds, and less than the interval of ${spanWords(everyS)}.`)
  // Changes of hosts have limits of their own, and to be killed between two of them would leave half a profile.
  const longestS = verb === 'use' ? everyS : Math.min(everyS, usualLimit)
  const limitS = timeLimit === undefined ? longestS : timeLimit / 1000
  if (limitS < 1 || !Number.isInteger(limitS)) throw unusable('the time limit', '--time-limit takes whole seconds, one at least.')
  return { everyS, ...defined({ atS: at }), jitterS, limitS }
}

function intervalS(every: number | undefined): number {
  if (every === undefined)
    throw unusable(
      'the interval',
      '--every says how often, for example --every 1h; --at when on each day, for example --at 07:00.',
    )
  const seconds = every / 1000
  if (seconds < shortest || seconds > longest || !Number.isInteger(seconds))
    throw unusable('the interval', '--every takes whole seconds, from 5m to 7d.')
  return seconds
}

/** The verbs that ask model hubs, with their tokens. */
const askHubs: ReadonlySet<string> = new Set(['drift', 'fetch', 'plan'])

/** Which inventory is meant is settled now; its selection is tried, and the variables that it takes secrets from are named. */
async function lookAtFleet(context: Context, { verb, options, names: [profile] }: ScheduledWords) {
  const { inventory, limit, service, shard, runId } = options
  const secretCommands = options['secretCommands'] !== false
  const path = typeof inventory === 'string' ? inventory : await defaultInventory(context, { isClosed: !secretCommands })
  const { fleet, hosts, selects } = await openFleet(context, {
    inventory: path,
    secretCommands,
    ...(typeof limit === 'string' ? { limit } : {}),
    ...(isTexts(service) ? { service } : {}),
    ...(typeof shard === 'string' && shard !== fromEnvironment ? { shard } : {}),
    ...(typeof runId === 'string' ? { runId } : {}),
  })
  if (verb === 'use' && profile !== undefined) findProfile(fleet, profile)
  if (verb === 'fetch') mustBeFetchable(hosts.flatMap(({ services }) => services.filter(selects)))
  const references = hosts.flatMap(({ connection, services }): readonly (SecretReference | undefined)[] => [
    connection.becomePassword,
    ...(verb === 'fetch' ? [] : services.filter(selects).map(({ key }) => key)),
    ...(askHubs.has(verb) ? services.filter(selects).map(({ model }) => model.source?.token) : []),
  ])
  const webhooks = (fleet.notify ?? []).map(({ way }) => (way.kind === 'webhook' ? way.url : undefined))
  const names = [...references, ...webhooks].flatMap((one) => (one !== undefined && 'env' in one ? [one.env] : []))
  return { inventory: resolve(context.cwd, path), secrets: [...new Set(names)].toSorted() }
}

/** Copies between hosts go through this machine, and a scheduled run does not stay for them. */
function mustBeFetchable(services: readonly Service[]): void {
  const sources = services.flatMap((service) => (isManagedService(service) ? (service.model.source ?? []) : []))
  if (sources.length === 0 || sources.some(({ from }) => from !== 'fleet')) return
  throw unusable(
    'the source',
    'Every selected model has `from: fleet`, and a scheduled run does not stay to copy from other hosts.',
  )
}

/**
 * Of the environment only what converge itself goes by, each by its name: a variable that is not known may hold a secret. A scheduler
 * has a PATH of its own, in which neither ssh nor what secrets are read with need be.
 */
function environmentFor(context: Context): Readonly<Record<string, string>> {
  const { env, cwd, home } = context
  const vault = env['ANSIBLE_VAULT_PASSWORD_FILE']
  return {
    PATH: env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    CONVERGE_STATE_DIR: resolve(cwd, stateFolder(context)),
    ...(vault === undefined || vault === '' ? {} : { ANSIBLE_VAULT_PASSWORD_FILE: vault }),
  }
}

function checkCharacters(job: ScheduledJob): void {
  const texts = [...commandOf(job), job.cwd, ...Object.values(job.environment)]
  const bad = texts.find((text) => controlCharacters.test(text))
  if (bad !== undefined)
    throw unusable(
      'a word',
      `${JSON.stringify(bad)} holds a line end or another control character, which no crontab and no unit can carry.`,
    )
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
