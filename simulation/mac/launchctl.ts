import type { Answer } from '../tool-socket.ts'
import { readAgentDefinition } from './agent-definition.ts'
import { type Code, codes, type Launchd } from './launchd.ts'
import { ofSystem, printDisabled, printDomain, printJob, printOfSystem, statusOf } from './print-text.ts'

/** Output and exit status of `launchctl WORDS…` in a shell of this session. */
export async function launchctl(launchd: Launchd, words: readonly string[], asRoot = false): Promise<Answer> {
  const [verb = '', ...rest] = words
  const run = verbs[verb]
  const refusal = asRoot ? undefined : withoutRoot(verb, rest)
  if (refusal !== undefined) return refusal
  return run === undefined ? { code: 64, err: `Unrecognized subcommand: ${verb}\n` } : run(launchd, rest)
}

/** Everyone may read the domain of the system, and only root may change it (launchctl(1)). */
function withoutRoot(verb: string, words: readonly string[]): Answer | undefined {
  const target = words.find((word) => /^system(\/|$)/.test(word))
  const [, label] = split(target ?? '')
  if (target === undefined || verb.startsWith('print')) return undefined
  if (verb === 'bootstrap')
    return {
      code: codes.inputOutput,
      err: 'Bootstrap failed: 5: Input/output error\nTry re-running the command as root for richer errors.\n',
    }
  const said: Readonly<Record<string, string>> = {
    bootout: 'Boot-out failed: 1: Operation not permitted\n',
    kickstart: `Could not kickstart service "${label}": 1: Operation not permitted\n`,
  }
  return { code: codes.notPermitted, err: said[verb] ?? 'Operation not permitted\n' }
}

type Verb = (launchd: Launchd, words: readonly string[]) => Promise<Answer> | Answer

const verbs: Readonly<Record<string, Verb>> = {
  bootstrap: async (launchd, [domain = '', path = '']) => failed('Bootstrap failed', await launchd.bootstrap(domain, path)),
  bootout: async (launchd, [target = '', path]) => {
    const [domain, label] = path === undefined ? split(target) : [target, labelIn(path)]
    return failed('Boot-out failed', await launchd.bootout(domain, label))
  },
  kickstart,
  kill: async (launchd, [signal = '', target = '']) => {
    const [domain, label] = split(target)
    const code = await launchd.kill(domain, label, signalOf(signal))
    if (code === codes.noSuchProcess) return { code, err: 'No process to signal.\n' }
    return code === codes.done ? { code } : notFound(code, domain, label)
  },
  enable: (launchd, [target = '']) => setDisabled(launchd, target, false),
  disable: (launchd, [target = '']) => setDisabled(launchd, target, true),
  print,
  'print-disabled': (launchd, [domain = '']) =>
    /^(gui|user)\/|^system$/.test(domain)
      ? { code: 0, out: printDisabled(launchd.disabledIn(domain)) }
      : notFound(codes.noDomain, domain, ''),
  managername: ({ settings }) => ({ code: 0, out: `${settings.session}\n` }),
  list,
  load: legacy('Load', async (launchd, domain, path) => {
    const label = labelIn(path)
    return launchd.jobsIn(domain)?.has(label) === true ? codes.already : launchd.bootstrap(domain, path)
  }),
  unload: legacy('Unload', (launchd, domain, path) => launchd.bootout(domain, labelIn(path))),
  start: legacyByLabel((launchd, domain, label) => launchd.kickstart(domain, label, false)),
  stop: legacyByLabel(async (launchd, domain, label) => {
    const job = launchd.jobsIn(domain)?.get(label)
    job?.stop()
    return job === undefined ? codes.noSuchProcess : codes.done
  }),
}

async function kickstart(launchd: Launchd, words: readonly string[]): Promise<Answer> {
  const flags = words.filter((word) => word.startsWith('-')).join('')
  const [domain, label] = split(words.find((word) => !word.startsWith('-')) ?? '')
  const code = await launchd.kickstart(domain, label, flags.includes('k'))
  if (code !== codes.done) return kickstartFailed(code, domain, label)
  const pid = launchd.jobsIn(domain)?.get(label)?.pid
  // A pipe gets the bare number; a terminal gets words around it.
  return { code, ...(flags.includes('p') ? { out: `${pid ?? ''}\n` } : {}) }
}

function kickstartFailed(code: Code, domain: string, label: string): Answer {
  if (code === codes.noService || code === codes.noDomain) return notFound(code, domain, label)
  return { code, err: `Could not kickstart service "${label}": ${code}: ${words[code] ?? 'Unknown error'}\n` }
}

async function print(launchd: Launchd, [target = '']: readonly string[]): Promise<Answer> {
  const jobs = launchd.jobsIn(target)
  if (jobs !== undefined) return { code: 0, out: printDomain(target, jobs, launchd.disabledIn(target)) }
  const [domain, label] = split(target)
  if (label === '') return notFound(codes.noDomain, target, '')
  if (target === `system/${ofSystem.label}`) return { code: 0, out: printOfSystem() }
  const job = await launchd.print(domain, label)
  return typeof job === 'number' ? notFound(job, domain, label) : { code: 0, out: printJob(domain, job) }
}

/** Lists the domain of the calling session: over SSH it misses every agent of the desktop. */
function list(launchd: Launchd, [label]: readonly string[]): Answer {
  const { session, uid } = launchd.settings
  const jobs = [...((session === 'Aqua' ? launchd.jobsIn(`gui/${uid}`) : undefined) ?? new Map()).values()]
  if (label === undefined) {
    const rows = jobs.map(
      (job) => `${job.pid ?? '-'}\t${statusOf(job.lastExit) === '-' ? 0 : statusOf(job.lastExit)}\t${job.definition.label}\n`,
    )
    return { code: 0, out: `PID\tStatus\tLabel\n${rows.join('')}` }
  }
  const job = jobs.find((one) => one.definition.label === label)
  if (job === undefined) return { code: codes.noService, err: `Could not find service "${label}" in domain for port\n` }
  const pid = job.pid === null ? '' : `\t"PID" = ${job.pid};\n`
  return {
    code: 0,
    out: `{\n\t"LimitLoadToSessionType" = "Aqua";\n\t"Label" = "${label}";\n\t"OnDemand" = false;\n\t"LastExitStatus" = ${waitStatus(job.lastExit)};\n${pid}\t"Program" = "${job.definition.arguments[0]}";\n};\n`,
  }
}

/** `list LABEL` prints the raw status of wait(2), `list` the decoded one. */
function waitStatus(exit: { readonly code: number } | { readonly signal: number } | null): number {
  if (exit === null) return 0
  return 'code' in exit ? exit.code * 256 : exit.signal
}

async function setDisabled(launchd: Launchd, target: string, disabled: boolean): Promise<Answer> {
  const [domain, label] = split(target)
  const code = await launchd.setDisabled(domain, label, disabled)
  return code === codes.done ? { code } : notFound(code, domain, label)
}

/** Verbs from before 10.10: they act on the calling session, and always exit with 0. */
function legacy(title: string, act: (launchd: Launchd, domain: string, path: string) => Promise<Code>): Verb {
  return async (launchd, given) => {
    const path = given.find((word) => !word.startsWith('-')) ?? ''
    const code = await act(launchd, sessionDomain(launchd), path)
    const said = code === codes.done ? '' : `${title} failed: ${code}: ${words[code] ?? 'Unknown error'}\n`
    return { code: 0, err: said }
  }
}

function legacyByLabel(act: (launchd: Launchd, domain: string, label: string) => Promise<Code>): Verb {
  return async (launchd, [label = '']) => {
    await act(launchd, sessionDomain(launchd), label)
    return { code: 0 }
  }
}

function sessionDomain({ settings: { session, uid } }: Launchd): string {
  return session === 'Aqua' ? `gui/${uid}` : `user/${uid}`
}

const words: Readonly<Record<number, string>> = {
  1: 'Operation not permitted',
  3: 'No such process',
  5: 'Input/output error',
  36: 'Operation now in progress',
  37: 'Operation already in progress',
  112: 'Could not find specified domain',
  113: 'Could not find specified service',
  119: 'Service is disabled',
  125: 'Domain does not support specified action',
  130: 'Service already exists',
  150: 'Operation not permitted while System Integrity Protection is engaged',
}

function failed(title: string, code: Code): Answer {
  return code === codes.done ? { code } : { code, err: `${title}: ${code}: ${words[code] ?? 'Unknown error'}\n` }
}

function notFound(code: Code, domain: string, label: string): Answer {
  const [kind = '', uid = ''] = domain.split('/')
  const where = kind === 'system' ? 'domain for system' : `domain for user ${kind}: ${uid}`
  if (code === codes.noService) return { code, err: `Bad request.\nCould not find service "${label}" in ${where}\n` }
  if (code === codes.noDomain) return { code, err: `Could not find ${where}\n` }
  return { code, err: `${words[code] ?? 'Unknown error'}\n` }
}

/** `gui/501/LABEL` or `system/LABEL` as domain and label. */
function split(target: string): [string, string] {
  if (target.startsWith('system/')) return ['system', target.slice('system/'.length)]
  if (target === 'system') return ['system', '']
  const [kind = '', uid = '', ...label] = target.split('/')
  return [`${kind}/${uid}`, label.join('/')]
}

function labelIn(path: string): string {
  return readAgentDefinition(path)?.label ?? ''
}

function signalOf(word: string): NodeJS.Signals {
  const names: Readonly<Record<string, NodeJS.Signals>> = { '9': 'SIGKILL', '15': 'SIGTERM', KILL: 'SIGKILL', TERM: 'SIGTERM' }
  return names[word.replace(/^SIG/, '')] ?? 'SIGTERM'
}
