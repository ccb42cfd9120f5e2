import { ConvergeError } from '../errors/converge-error.ts'
import { converge, shell } from '../lib/next-command.ts'
import type { HostFacts, Listener } from '../model/facts.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import type { Probe } from './build-probe.ts'
import { type Fact, firstWords, type Section, type SectionScript } from './fact.ts'
import { type Frames, readFrames } from './frames.ts'
import { facts } from './index.ts'
import type { FactQuestion } from './question.ts'

/** What one probe reports; HTTP facts and the controller's own stamps are missing. */
export type ProbeFacts = Pick<HostFacts, keyof typeof facts>

/** The relevant part of a command's result. */
export interface ProbeOutput {
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
}

/**
 * Reads the probe's output. A missing or failed section leaves its fact unknown; output that is not a probe's, or that stops early
 * although nothing ended it, is an error.
 *
 * @throws ConvergeError `FACTS.GARBLED`, `FACTS.SILENT`
 */
export function readProbe(output: ProbeOutput, probe: Pick<Probe, 'nonce'>, question: FactQuestion): ProbeFacts {
  const frames = readFrames(output.stdout, output.stderr, probe.nonce)
  if (frames.sections.size === 0) throw output.timedOut ? silent(question.host) : garbled(question.host, output, noFrame)
  if (!frames.complete && !output.timedOut) throw garbled(question.host, output, cutShort(frames))
  const sections = sectionFinder(frames, output.timedOut, question)
  const parse = <T>(fact: Fact<T>): T => fact.parse(sections(fact.section), { question })
  const parsed = {
    platform: parse(facts.platform),
    layout: parse(facts.layout),
    memory: parse(facts.memory),
    listeners: parse(facts.listeners),
    residents: parse(facts.residents),
    downloads: parse(facts.downloads),
    caffeinates: parse(facts.caffeinates),
    applied: parse(facts.applied),
    lock: parse(facts.lock),
    journal: parse(facts.journal),
    rollbackTimers: parse(facts.rollbackTimers),
    systemd: parse(facts.systemd),
    power: parse(facts.power),
    rotatedLogs: parse(facts.rotatedLogs),
    launchd: parse(facts.launchd),
    daemons: parse(facts.daemons),
    containers: parse(facts.containers),
    definitions: parse(facts.definitions),
    keyFiles: parse(facts.keyFiles),
    leftovers: parse(facts.leftovers),
    disks: parse(facts.disks),
    models: parse(facts.models),
    fetches: parse(facts.fetches),
    executables: parse(facts.executables),
    accounts: parse(facts.accounts),
  }
  return { ...parsed, listeners: withPublishedPorts(parsed) }
}

function sectionFinder(frames: Frames, timedOut: boolean, question: FactQuestion): (script: SectionScript) => Observed<Section> {
  const find = (name: string) => frames.sections.get(name)
  const os = facts.platform.parse(find(facts.platform.section.name) ?? unknown('not-gathered'), { question })
  return (script) => find(script.name) ?? missing(script, os.known ? os.value.os : undefined, timedOut, question)
}

function missing({ sh }: SectionScript, os: 'linux' | 'macos' | undefined, timedOut: boolean, question: FactQuestion): Unknown {
  if (os === undefined) return timedOut ? late : unknown('wrong-platform', 'neither Linux nor macOS')
  if (question.platform !== undefined && question.platform !== os)
    return unknown('wrong-platform', `the inventory says ${question.platform}, the host runs ${os}`)
  if (sh[os] === undefined) return unknown('wrong-platform', `not on ${os}`)
  return timedOut ? late : unknown('not-gathered')
}

const late = unknown('timed-out', 'the probe timed out before it')

/**
 * An engine without its userland proxy publishes ports that no process listens on; the kernel's packet filter handles them. They count as
 * taken.
 */
function withPublishedPorts({
  listeners,
  containers,
}: Pick<ProbeFacts, 'listeners' | 'containers'>): Observed<readonly Listener[]> {
  if (!listeners.known || !containers.known) return listeners
  const taken = new Set(listeners.value.map(({ port }) => port))
  const published = containers.value.containers
    .filter(({ state }) => state === 'running' || state === 'paused')
    .flatMap(({ name, ports }) => ports.map((pair) => ({ name, port: Number(pair.split(':')[0]) })))
    .filter(({ port }) => Number.isInteger(port) && !taken.has(port))
  const added = published.map(({ name, port }): Listener => {
    return { address: '0.0.0.0', port, pid: unknown('unreadable', `published by container ${name}`), process: 'docker' }
  })
  return known([...listeners.value, ...added])
}

const noFrame = 'It contains no answer of the probe.'

function cutShort({ cutIn }: Frames): string {
  return cutIn === undefined ? 'It stops before its end.' : `It stops in the middle of section ${cutIn}.`
}

function garbled(host: string, output: ProbeOutput, what: string): ConvergeError {
  const seen = [sample('on stdout', output.stdout), sample('on stderr', output.stderr)].filter((one) => one !== '')
  return new ConvergeError('FACTS.GARBLED', {
    summary: 'The host did not answer with facts.',
    why: `The answer of ${host} is unreadable. ${what} It printed ${seen.length === 0 ? 'nothing' : seen.join(' and ')}.`,
    next: [
      shell(`ssh ${host} 'exec /bin/sh -s' < /dev/null`, { note: 'must print nothing' }),
      shell(`ssh ${host} 'echo test | /bin/sh -c cat'`, { note: 'must print test and nothing else' }),
      'Possible causes: a forced command, a login script that prints or prompts, a restricted shell or a full disk.',
    ],
  })
}

function sample(where: string, text: string): string {
  const words = firstWords(text)
  return words === undefined ? '' : `${where}: «${words}»`
}

function silent(host: string): ConvergeError {
  return new ConvergeError('FACTS.SILENT', {
    summary: 'The host did not answer the probe in time.',
    why: `${host} accepted the connection but did not answer before the timeout.`,
    next: [
      shell(`ssh ${host} 'uname -a'`, { note: 'is it slow, or does a login script wait for something?' }),
      converge(['plan', '--timeout', '120'], { note: 'gives it more time' }),
    ],
  })
}
