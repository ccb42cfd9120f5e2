import prettyBytes from 'pretty-bytes'
import type { ContainersFact, HostFacts, Resident } from '../model/facts.ts'
import type { PowerFact } from '../model/mac-settings.ts'
import type { Observed } from '../model/observed.ts'
import type { UnfinishedRun } from '../model/unfinished-run.ts'
import { indent } from './indent.ts'
import type { Paint } from './paint.ts'
import { rollbackTimerWords } from './rollback-timer-words.ts'

/** One fact in words; several values have a line each. */
export interface FactLine {
  readonly label: string
  readonly isKnown: boolean
  /** If it is unknown, why. */
  readonly words: string
}

/** The facts of one host. `--json` has all of them. */
export function renderFacts(facts: HostFacts, paint: Paint): string {
  const lines = factLines(facts).map(({ label, isKnown, words }) => {
    const text = isKnown ? words.replaceAll('\n', '\n            ') : paint(['yellow'], `unknown: ${words}`)
    return `${paint(['dim'], label.padEnd(11))} ${paint.hang}${text}`
  })
  return `${paint(['bold'], facts.host)}\n${indent(lines.join('\n'))}\n`
}

/** The most asked for first. */
export function factLines(facts: HostFacts): readonly FactLine[] {
  return [
    say('system', facts.platform, (one) => [one.distribution ?? one.os, one.kernel, one.arch].join(', ')),
    say('as', facts.layout, (one) => `${one.user} (commands run as uid ${one.effectiveUid}), converge's folder ${one.root}`),
    say('memory', facts.memory, (one) => `${gib(one.availableBytes)} available of ${gib(one.totalBytes)}`),
    say('residents', facts.residents, (all) => listed(all.map(residentWords))),
    say('listening', facts.listeners, (all) =>
      listed([...new Set(all.map((one) => one.port))].toSorted((a, b) => a - b).map(String), ', '),
    ),
    say('containers', facts.containers, containersWords),
    say('systemd', facts.systemd, (one) =>
      one.version === null ? 'not run by systemd' : `${one.version}, ${unitsWords(Object.keys(one.units).length)}`,
    ),
    ...programLines(facts).map((words) => ({ label: 'program', isKnown: true, words })),
    ...(isAsked(facts.power) ? [say('power', facts.power, powerWords)] : []),
    say('applied', facts.applied, (records) =>
      listed(
        Object.values(records).map((one) => `${one.service} at ${one.appliedAt}`),
        ', ',
      ),
    ),
    say('lock', facts.lock, (holder) =>
      holder === null
        ? 'free'
        : `${holder.died === true ? 'left behind' : 'held'} by ${holder.owner} on ${holder.controller} (${holder.ageS} s ago)`,
    ),
    say('unconfirmed', facts.rollbackTimers, (timers) =>
      listed(timers.map((one) => `${one.service}: ${rollbackTimerWords(one)}`)),
    ),
    say('unfinished', facts.journal, (run) => (run === null ? 'no run' : unfinishedWords(run))),
  ]
}

function say<T>(label: string, observed: Observed<T>, words: (value: T) => string): FactLine {
  return observed.known
    ? { label, isKnown: true, words: words(observed.value) }
    : { label, isKnown: false, words: observed.detail ?? observed.because }
}

function containersWords({ engine, containers }: ContainersFact): string {
  if (engine === null) return 'no engine'
  const each = containers.map(({ name, state, image, imageId }) => {
    const id = imageId === undefined ? '' : ` ${imageId.slice(0, 12)}`
    return `${name} ${state} (${image}${id})`
  })
  const words = [engine.path, engine.version].filter((word) => word !== undefined)
  return `${words.join(' ')}: ${listed(each, ', ')}`
}

/** Model servers that the inventory names, with what they say of themselves. */
function programLines({ executables }: HostFacts): readonly string[] {
  return Object.values(executables).flatMap((seen) =>
    seen.known && seen.value?.version !== undefined ? [`${seen.value.path} ${seen.value.version}`] : [],
  )
}

function unitsWords(count: number): string {
  return count === 1 ? '1 unit of interest' : `${count} units of interest`
}

function unfinishedWords({ owner, controller, runId, services, inDoubt }: UnfinishedRun): string {
  const steps = inDoubt.map(({ service, step }) => `in doubt: ${service}: ${step}`)
  return listed([`run ${runId} of ${owner} on ${controller}: ${services.join(', ')}`, ...steps])
}

function isAsked(observed: Observed<unknown>): boolean {
  return observed.known || (observed.because !== 'not-gathered' && observed.because !== 'wrong-platform')
}

/** Only the timers; `--json` has all settings. */
function powerWords(power: PowerFact): string {
  const timers = ['disksleep', 'sleep', 'displaysleep']
  const words = Object.entries(power).map(([source, settings]) => {
    const each = timers.flatMap((timer) => (settings[timer] === undefined ? [] : [`${timer} ${settings[timer]}`]))
    return `${source}: ${each.join(', ')}`
  })
  return listed(words)
}

function residentWords(one: Resident): string {
  const where = one.container ?? one.unit
  return `${one.program} pid ${one.pid}${one.port === undefined ? '' : ` port ${one.port}`} ${gib(one.rssBytes)}${where === undefined ? '' : ` (${where})`}`
}

function listed(items: readonly string[], separator = '\n'): string {
  return items.length === 0 ? 'none' : items.join(separator)
}

function gib(bytes: number): string {
  return prettyBytes(bytes, { binary: true })
}
