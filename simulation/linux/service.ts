import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { groupLives } from '../processes.ts'
import { codes, type ExitStatus, exitOf, exitWords, stepNames, stepReasons } from './exit-status.ts'
import { type ServiceHost, signalGroup, startProcess } from './service-process.ts'
import { StartLimit } from './start-limit.ts'
import type { UnitFile } from './unit-file.ts'

/** How a job ended, for the caller that waited for it. */
export type JobResult = 'done' | 'exit-code' | 'resources' | 'start-limit-hit' | 'canceled'

type State = 'dead' | 'failed' | 'start' | 'running' | 'stop-sigterm' | 'stop-sigkill' | 'final-sigterm' | 'auto-restart'

const activeStates = {
  dead: 'inactive',
  failed: 'failed',
  start: 'activating',
  running: 'active',
  'stop-sigterm': 'deactivating',
  'stop-sigkill': 'deactivating',
  'final-sigterm': 'deactivating',
  'auto-restart': 'activating',
} as const satisfies Readonly<Record<State, string>>

/** One service in systemd's memory. It really starts and ends processes. */
export class Service {
  unit: UnitFile
  result: 'success' | 'exit-code' | 'signal' | 'timeout' | 'resources' | 'start-limit-hit' = 'success'
  restarts = 0
  execMain: ExitStatus = { code: codes.none, status: 0 }
  /** Of the running main process. */
  main: { readonly pid: number; readonly startedAt: number; readonly environment: Readonly<Record<string, string>> } | undefined
  readonly #host: ServiceHost
  readonly #limit: StartLimit
  /** Milliseconds since the epoch; 0: it was never in another state. */
  changedAt = 0
  #lastState: State = 'dead'
  #stopping = false
  /** Jobs of a unit run one after the other. */
  #jobs: Promise<unknown> = Promise.resolve()
  #ended: Promise<void> = Promise.resolve()
  #again: { readonly timer: NodeJS.Timeout; readonly done: PromiseWithResolvers<JobResult> } | undefined

  constructor(unit: UnitFile, host: ServiceHost) {
    this.unit = unit
    this.#host = host
    this.#limit = new StartLimit(host.pace)
  }

  get #state(): State {
    return this.#lastState
  }

  set #state(state: State) {
    this.#lastState = state
    this.changedAt = Date.now()
  }

  get state(): State {
    return this.#state
  }

  get activeState(): (typeof activeStates)[State] {
    return activeStates[this.#state]
  }

  /** A unit that waits for its restart is not started earlier; the caller waits with it. */
  start(): Promise<JobResult> {
    if (this.#again !== undefined) return this.#again.done.promise
    return this.#job(async () => (this.#state === 'running' ? 'done' : this.#begin(false)))
  }

  stop(): Promise<JobResult> {
    return this.#job(() => this.#end())
  }

  restart(): Promise<JobResult> {
    return this.#job(async () => {
      await this.#end()
      return this.#begin(false)
    })
  }

  resetFailed(): void {
    this.restarts = 0
    this.#limit.reset()
    if (this.#state !== 'failed') return
    this.#state = 'dead'
    this.result = 'success'
  }

  #job(work: () => Promise<JobResult>): Promise<JobResult> {
    const job = this.#jobs.then(work)
    this.#jobs = job.catch(() => undefined)
    return job
  }

  #say(text: string): void {
    this.#host.journal.say(this.unit.name, text)
  }

  get #title(): string {
    return `${this.unit.name} - ${this.unit.description}`
  }

  async #begin(byItself: boolean): Promise<JobResult> {
    if (!byItself) this.restarts = 0
    if (!this.#limit.allows(this.unit.startLimit)) {
      this.#say(`${this.unit.name}: Start request repeated too quickly.`)
      this.#say(`${this.unit.name}: Failed with result 'start-limit-hit'.`)
      this.result = 'start-limit-hit'
      this.#state = 'failed'
      return 'start-limit-hit'
    }
    this.#state = 'start'
    this.result = 'success'
    this.execMain = { code: codes.none, status: 0 }
    this.#stopping = false
    this.#say(`Starting ${this.#title}...`)
    const startedAt = Date.now()
    const started = await startProcess(this.unit, this.#host)
    if ('child' in started) {
      const { child, pid, environment } = started
      this.main = { pid, startedAt, environment }
      this.#state = 'running'
      this.#say(`Started ${this.#title}.`)
      this.#ended = this.#watch(child, pid)
      return 'done'
    }
    if ('resources' in started) {
      this.#say(`${this.unit.name}: ${started.resources}`)
      this.#dead('resources', null)
      return 'resources'
    }
    this.execMain = { code: codes.exited, status: started.status }
    const { status } = started
    this.#say(`${this.unit.name}: Failed at step ${stepNames[status]} spawning ${this.unit.command[0]}: ${stepReasons[status]}`)
    this.#sayExit()
    this.#dead('exit-code', String(started.status))
    return 'exit-code'
  }

  async #watch(child: ChildProcess, pid: number): Promise<void> {
    const exit = await exitOf(child)
    this.main = undefined
    this.execMain = exit
    if (!exit.isClean) this.#sayExit()
    if (!this.#stopping) {
      this.#state = 'final-sigterm'
      signalGroup(pid, 'SIGTERM')
    }
    await this.#untilGone(pid)
    const failure = exit.code === codes.exited ? 'exit-code' : 'signal'
    const own = exit.isClean ? 'success' : failure
    this.#dead(this.result === 'timeout' ? 'timeout' : own, String(exit.status))
  }

  /** Ends the rest of the group with the main process, at the latest when its time is up. */
  async #untilGone(pid: number): Promise<void> {
    const end = Date.now() + this.#ms(this.unit.stopS)
    while (signalGroup(pid, 0) && groupLives(pid)) {
      if (Date.now() > end) signalGroup(pid, 'SIGKILL')
      await sleep(20)
    }
  }

  async #end(): Promise<JobResult> {
    if (this.#again !== undefined) {
      clearTimeout(this.#again.timer)
      this.#again.done.resolve('canceled')
      this.#again = undefined
      this.#state = 'dead'
      this.#say(`Stopped ${this.#title}.`)
      return 'done'
    }
    const pid = this.main?.pid
    this.#stopping = true
    if (pid !== undefined) {
      this.#state = 'stop-sigterm'
      this.#say(`Stopping ${this.#title}...`)
      const patience = setTimeout(() => this.#kill(pid), Math.min(this.#ms(this.unit.stopS), 2 ** 31 - 1))
      signalGroup(pid, this.unit.killSignal)
      await this.#ended
      clearTimeout(patience)
      this.#say(`Stopped ${this.#title}.`)
    }
    await this.#ended
    return 'done'
  }

  #kill(pid: number): void {
    this.#say(`${this.unit.name}: State 'stop-sigterm' timed out. Killing.`)
    this.result = 'timeout'
    this.#state = 'stop-sigkill'
    signalGroup(pid, 'SIGKILL')
  }

  /** @param status of the main process, where there was one */
  #dead(result: Service['result'], status: string | null): void {
    const { name, restartS } = this.unit
    this.result = result
    const failed = result !== 'success'
    this.#say(failed ? `${name}: Failed with result '${result}'.` : `${name}: Deactivated successfully.`)
    if (!this.#comesBack(failed, status)) {
      this.#state = failed ? 'failed' : 'dead'
      return
    }
    this.#state = 'auto-restart'
    const done = Promise.withResolvers<JobResult>()
    const timer = setTimeout(() => {
      this.#again = undefined
      this.restarts += 1
      this.#say(`${name}: Scheduled restart job, restart counter is at ${this.restarts}.`)
      done.resolve(this.#job(() => this.#begin(true)))
    }, this.#ms(restartS))
    this.#again = { timer, done }
  }

  #comesBack(failed: boolean, status: string | null): boolean {
    const { restart, preventsRestart } = this.unit
    if (this.#stopping || (status !== null && preventsRestart.includes(status))) return false
    if (restart === 'always') return true
    if (restart === 'on-success') return !failed
    if (restart === 'on-failure') return failed
    return restart === 'on-abnormal' && (this.result === 'signal' || this.result === 'timeout')
  }

  #sayExit(): void {
    this.#say(`${this.unit.name}: Main process exited, ${exitWords(this.execMain)}`)
  }

  #ms(seconds: number): number {
    return (seconds * 1000) / this.#host.pace
  }
}
