import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentDefinition, readAgentDefinition } from './agent-definition.ts'
import { Job, type JobEvent, type JobSettings } from './job.ts'

/** The exit code of a verb of launchctl, 0 for success. */
export type Code = number

/** Codes observed on macOS 10.14 to 27; their meaning depends on the verb. */
export const codes = {
  done: 0,
  notPermitted: 1,
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

export interface LaunchdSettings extends Pick<JobSettings, 'pace' | 'user' | 'inside' | 'killed'> {
  readonly home: string
  readonly uid: number
  /** Who owns a file. */
  readonly ownerOf: (path: string) => string
  /** Where the system loads daemons from at boot, and a login its agents. */
  readonly folders: { readonly daemons: string; readonly agents: string }
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
  /** The overrides of the domain of the system. */
  readonly disabledDaemons = new Map<string, boolean>()
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
      if (domain.startsWith('user/') || !this.#isSafe(domain, path)) return codes.inputOutput
      const definition = readAgentDefinition(path)
      if (definition === undefined) return codes.inputOutput
      if (this.disabledIn(domain).get(definition.label) === true) return this.settings.disabledCode
      // Loaded already, or still on its way out.
      if (jobs.has(definition.label)) return codes.inputOutput
      const held = domain !== 'system' && this.settings.session !== 'Aqua' && this.settings.pendsOverSsh
      this.#load(jobs, domain, definition, held)
      return codes.done
    })
  }

  #load(jobs: Map<string, Job>, domain: string, definition: AgentDefinition, held: boolean): void {
    const { pace, home, user, inside, killed } = this.settings
    const account = domain === 'system' ? { user: definition.userName ?? 'root' } : { user, home }
    const job = new Job(definition, {
      ...account,
      pace,
      inside,
      ...(killed === undefined ? {} : { killed }),
      pends: () => held,
      emit: (event) => this.events.push(event),
    })
    jobs.set(definition.label, job)
    job.loaded()
  }

  /** What a boot, or a login, loads by itself: every safe file in the folder whose label is not disabled. */
  loadAll(domain: string): void {
    const folder = this.settings.folders[domain === 'system' ? 'daemons' : 'agents']
    const jobs = this.#jobsIn(domain)
    if (jobs === undefined) return
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.plist'))) {
      const path = join(folder, name)
      const definition = this.#isSafe(domain, path) ? readAgentDefinition(path) : undefined
      if (definition === undefined || this.disabledIn(domain).get(definition.label) === true) continue
      this.#load(jobs, domain, definition, false)
    }
  }

  disabledIn(domain: string): Map<string, boolean> {
    return domain === 'system' ? this.disabledDaemons : this.disabled
  }

  /** A file that others may write, or that is another's, is refused: one of a daemon is root's. */
  #isSafe(domain: string, path: string): boolean {
    const { ownerOf, user } = this.settings
    try {
      return ownerOf(path) === (domain === 'system' ? 'root' : user) && (statSync(path).mode & 0o022) === 0
    } catch {
      return false
    }
  }

  /** Returns before the process has exited; until then the job is still loaded. */
  async bootout(domain: string, label: string): Promise<Code> {
    return this.#faulty('bootout', () => {
      const jobs = this.#jobsIn(domain)
      if (jobs === undefined) return codes.unsupported
      const job = jobs.get(label)
      if (job === undefined) return codes.noSuchProcess
      if (job.removing) return codes.inProgress
      void job.remove().then(() => jobs.delete(label))
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
      if (!/^(gui|user)\/|^system$/.test(domain)) return codes.noDomain
      this.disabledIn(domain).set(label, disabled)
      return codes.done
    })
  }

  /** Of the processes that run as jobs. */
  pids(): readonly number[] {
    return this.#all().flatMap(({ pid }) => pid ?? [])
  }

  /** The account that a process runs as, if it is a job. */
  accountOf(pid: number): string | undefined {
    return this.#all().find((job) => job.pid === pid)?.account
  }

  /** Ends every process, as a shutdown does. */
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
