import { statSync } from 'node:fs'
import { readAgentDefinition } from './agent-definition.ts'
import { Job, type JobEvent, type JobSettings } from './job.ts'

/** The exit code of a verb of launchctl, 0 for success. */
export type Code = number

/** Codes observed on macOS 10.14 to 27; their meaning depends on the verb. */
export const codes = {
  done: 0,
  noSuchProcess: 3,
  inputOutput: 5,
  inProgress: 36,
  already: 37,
  noDomain: 112,
  noService: 113,
  disabled: 119,
  unsupported: 125,
} as const

/** Makes a verb answer with another code a number of times, without doing anything. */
export interface Fault {
  readonly verb: 'bootstrap' | 'bootout' | 'kickstart' | 'kill' | 'print' | 'enable' | 'disable'
  readonly code: Code
  times: number
  /** Does it nevertheless: only the answer is wrong. */
  readonly done?: true
}

export interface LaunchdSettings extends Pick<JobSettings, 'pace' | 'home' | 'user' | 'inside' | 'killed'> {
  readonly uid: number
  /** The console user: only that user has a gui domain. */
  consoleUser: string | null
  /** The calling session: over SSH, automatic starts of a job may be held back, and the gui domain is a different one. */
  session: 'Aqua' | 'Background'
  /** Whether they are. */
  pendsOverSsh: boolean
  /** The code that refuses a disabled label: newer systems hide 119 behind 5. */
  readonly disabledCode: Code
  readonly faults: Fault[]
}

/** A per-user launchd with its gui domain; `user/UID` exists as well and is empty. The domain of the system has daemons. */
export class Launchd {
  readonly settings: LaunchdSettings
  /** What happened to processes, oldest first. */
  readonly events: JobEvent[] = []
  readonly disabled = new Map<string, boolean>()
  readonly #jobs = new Map<string, Job>()
  readonly #daemons = new Map<string, Job>()

  constructor(settings: LaunchdSettings) {
    this.settings = settings
  }

  /** Undefined: no such domain exists. */
  jobsIn(domain: string): ReadonlyMap<string, Job> | undefined {
    return this.#jobsIn(domain)
  }

  #jobsIn(domain: string): Map<string, Job> | undefined {
    const { uid, consoleUser, user } = this.settings
    if (domain === 'system') return this.#daemons
    if (domain === `gui/${uid}`) return consoleUser === user ? this.#jobs : undefined
    return domain === `user/${uid}` ? new Map() : undefined
  }

  async bootstrap(domain: string, path: string): Promise<Code> {
    return this.#faulty('bootstrap', () => {
      const jobs = this.#jobsIn(domain)
      if (jobs === undefined) return codes.unsupported
      // An agent without LimitLoadToSessionType is for the desktop alone.
      if (domain.startsWith('user/') || !isSafe(path, this.settings.uid)) return codes.inputOutput
      const definition = readAgentDefinition(path)
      if (definition === undefined) return codes.inputOutput
      if (this.disabled.get(definition.label) === true) return this.settings.disabledCode
      // Loaded already, or still on its way out.
      if (jobs.has(definition.label)) return codes.inputOutput
      const held = this.settings.session !== 'Aqua' && this.settings.pendsOverSsh
      const { pace, home, user, inside, killed } = this.settings
      const common = { pace, home, user, inside, ...(killed === undefined ? {} : { killed }) }
      const job = new Job(definition, { ...common, pends: () => held, emit: (event) => this.events.push(event) })
      jobs.set(definition.label, job)
      job.loaded()
      return codes.done
    })
  }

  /** Returns before the process has exited; until then the job is still loaded. */
  async bootout(domain: string, label: string): Promise<Code> {
    return this.#faulty('bootout', () => {
      const jobs = this.jobsIn(domain)
      if (jobs === undefined) return codes.unsupported
      const job = jobs.get(label)
      if (job === undefined) return codes.noSuchProcess
      if (job.removing) return codes.inProgress
      void job.remove().then(() => this.#jobs.delete(label))
      return codes.done
    })
  }

  /** Without `restart`, a running job is left alone, which is not a failure. */
  async kickstart(domain: string, label: string, restart: boolean): Promise<Code> {
    return this.#faulty('kickstart', async () => {
      const job = this.#find(domain, label)
      if (typeof job === 'number') return job
      if (job.removing) return codes.inProgress
      await (restart ? job.restart() : job.demand())
      return codes.done
    })
  }

  async kill(domain: string, label: string, signal: NodeJS.Signals): Promise<Code> {
    return this.#faulty('kill', () => {
      const job = this.#find(domain, label)
      if (typeof job === 'number') return job
      return job.kill(signal) ? codes.done : codes.noSuchProcess
    })
  }

  async print(domain: string, label: string): Promise<Job | Code> {
    const code = this.#fault('print')
    return code ?? this.#find(domain, label)
  }

  async setDisabled(domain: string, label: string, disabled: boolean): Promise<Code> {
    return this.#faulty(disabled ? 'disable' : 'enable', () => {
      if (!/^(gui|user)\//.test(domain)) return codes.noDomain
      this.disabled.set(label, disabled)
      return codes.done
    })
  }

  /** Of the processes that run as jobs. */
  pids(): readonly number[] {
    return this.#all().flatMap(({ pid }) => pid ?? [])
  }

  /** Ends every process, as a logout does. */
  async shutDown(): Promise<void> {
    await Promise.all(this.#all().map((job) => job.remove()))
    this.#jobs.clear()
    this.#daemons.clear()
  }

  #all(): readonly Job[] {
    return [...this.#jobs.values(), ...this.#daemons.values()]
  }

  #find(domain: string, label: string): Job | Code {
    const jobs = this.jobsIn(domain)
    return jobs === undefined ? codes.noDomain : (jobs.get(label) ?? codes.noService)
  }

  #fault(verb: Fault['verb']): Code | undefined {
    const fault = this.settings.faults.find((one) => one.verb === verb && one.times > 0)
    if (fault === undefined) return undefined
    fault.times -= 1
    return fault.code
  }

  async #faulty(verb: Fault['verb'], act: () => Code | Promise<Code>): Promise<Code> {
    const fault = this.settings.faults.find((one) => one.verb === verb && one.times > 0)
    const code = this.#fault(verb)
    if (code === undefined) return act()
    if (fault?.done === true) await act()
    return code
  }
}

/** A file that others may write, or that is another's, is refused. */
function isSafe(path: string, uid: number): boolean {
  try {
    const { mode, uid: owner } = statSync(path)
    const ours = owner === uid || owner === process.getuid?.()
    return ours && (mode & 0o022) === 0
  } catch {
    return false
  }
}
