import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { holdLifeline, lifelineVariable } from '../lifeline.ts'
import { type AgentDefinition, startsWhenLoaded } from './agent-definition.ts'

/** What happens to the processes of jobs, in order. */
export interface JobEvent {
  readonly at: number
  readonly label: string
  readonly event: 'started' | 'ended' | 'not-started'
  readonly pid: number | null
}

export interface JobSettings {
  /** Seconds of this launchd per real second: a test cannot wait ten real ones between two starts. */
  readonly pace: number
  /** Holds back automatic starts forever, as for jobs that were bootstrapped over SSH on macOS 26. */
  readonly pends: () => boolean
  /** Absent: a daemon gets none. */
  readonly home?: string
  /** Where a path of the Mac is on this machine. */
  readonly inside: (path: string) => string
  readonly user: string
  readonly emit: (event: JobEvent) => void
  /** A process of a job was killed, by whatever. */
  readonly killed?: () => void
}

export type LastExit = { readonly code: number } | { readonly signal: number } | null

/** sysexits.h; launchd's exit status for a job whose log or program it cannot open. */
const exConfig = 78
const signalNumbers: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 }

/** One loaded job: launchd's end of it. It really starts and ends processes. */
export class Job {
  readonly definition: AgentDefinition
  readonly #settings: JobSettings
  #process: ChildProcess | undefined
  #startedAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #gone: (() => void)[] = []
  #removing = false
  runs = 0
  lastExit: LastExit = null
  /** Why a start waits forever. */
  pended: 'speculative' | 'semaphore' | null = null
  spawnFailed = false
  reason: 'speculative' | 'semaphore' | 'non-ipc demand' | null = null

  constructor(definition: AgentDefinition, settings: JobSettings) {
    this.definition = definition
    this.#settings = settings
  }

  get pid(): number | null {
    return this.#process?.pid ?? null
  }

  /** Who its process runs as. */
  get account(): string {
    return this.#settings.user
  }

  get removing(): boolean {
    return this.#removing
  }

  get state(): 'running' | 'not running' | 'spawn scheduled' {
    if (this.pid !== null) return 'running'
    return this.#timer === undefined ? 'not running' : 'spawn scheduled'
  }

  /** After it was loaded. */
  loaded(): void {
    if (startsWhenLoaded(this.definition)) this.#speculate('speculative')
  }

  /** On demand: `kickstart`, `start`. Waits for the throttle, which may take some seconds. */
  async demand(): Promise<void> {
    if (this.pid !== null) return
    this.#unschedule()
    this.pended = null
    await this.#untilStartable()
    if (this.pid === null && !this.#removing) this.#spawn('non-ipc demand')
  }

  /** `kickstart -k`. */
  async restart(): Promise<void> {
    if (this.pid !== null) {
      const ended = this.#untilGone()
      this.#quiet = true
      this.#signal('SIGKILL')
      await ended
      this.#quiet = false
    }
    await this.demand()
  }

  /** False: there is no process to signal. */
  kill(signal: NodeJS.Signals): boolean {
    return this.#signal(signal)
  }

  /** SIGTERM, and SIGKILL when its time is up; settles when the process is gone. */
  async remove(): Promise<void> {
    this.#removing = true
    this.#unschedule()
    if (this.pid === null) return
    const ended = this.#untilGone()
    const patience = setTimeout(() => this.#signal('SIGKILL'), this.#ms(this.definition.exitTimeoutS))
    this.#signal('SIGTERM')
    await ended
    clearTimeout(patience)
  }

  /** `launchctl stop`: it stays loaded, and what KeepAlive says of such an end counts. */
  stop(): void {
    if (this.pid === null) return
    const { pid } = this
    this.#signal('SIGTERM')
    setTimeout(() => {
      if (this.pid === pid) this.#signal('SIGKILL')
    }, this.#ms(this.definition.exitTimeoutS)).unref()
  }

  /** A restart on demand is not a crash for KeepAlive. */
  #quiet = false

  #ms(seconds: number): number {
    return (seconds * 1000) / this.#settings.pace
  }

  #signal(signal: NodeJS.Signals): boolean {
    return this.#process?.kill(signal) === true
  }

  #untilGone(): Promise<void> {
    return new Promise((resolve) => {
      this.#gone.push(resolve)
    })
  }

  async #untilStartable(): Promise<void> {
    const wait = this.#startedAt + this.#ms(this.definition.throttleS) - Date.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
  }

  #unschedule(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #speculate(reason: 'speculative' | 'semaphore'): void {
    if (this.#settings.pends()) {
      this.pended = reason
      return
    }
    this.#unschedule()
    const wait = Math.max(0, this.#startedAt + this.#ms(this.definition.throttleS) - Date.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#spawn(reason)
    }, wait)
  }

  #spawn(reason: NonNullable<Job['reason']>): void {
    this.pended = null
    this.reason = reason
    this.runs += 1
    this.#startedAt = Date.now()
    const logs = this.#openLogs()
    if (logs === undefined) return this.#failToSpawn()
    const [program = '', ...rest] = this.definition.arguments.map(this.#settings.inside)
    const child = spawn(program, rest, {
      cwd: '/',
      detached: true,
      stdio: ['ignore', logs.out, logs.err, 'pipe'],
      env: {
        PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
        ...(this.#settings.home === undefined ? {} : { HOME: this.#settings.home }),
        USER: this.#settings.user,
        LOGNAME: this.#settings.user,
        XPC_SERVICE_NAME: this.definition.label,
        ...lifelineVariable,
        ...this.definition.environment,
      },
    })
    holdLifeline(child)
    for (const descriptor of new Set([logs.out, logs.err])) if (typeof descriptor === 'number') closeSync(descriptor)
    child.once('error', () => {
      if (child.pid === undefined) this.#failToSpawn()
    })
    if (child.pid === undefined) return
    this.spawnFailed = false
    this.#process = child
    this.#settings.emit({ at: Date.now(), label: this.definition.label, event: 'started', pid: child.pid })
    child.once('exit', (code, signal) => this.#ended(child, code, signal))
  }

  /** A missing folder is not created; the job then fails with EX_CONFIG. Undefined: it failed. */
  #openLogs(): { readonly out: number | 'ignore'; readonly err: number | 'ignore' } | undefined {
    const { stdoutPath, stderrPath, umask } = this.definition
    const open = (path: string) => openSync(this.#settings.inside(path), 'a', 0o666 & ~(umask ?? 0o022))
    try {
      const out = stdoutPath === null ? 'ignore' : open(stdoutPath)
      if (stderrPath === stdoutPath) return { out, err: out }
      return { out, err: stderrPath === null ? 'ignore' : open(stderrPath) }
    } catch {
      return undefined
    }
  }

  #failToSpawn(): void {
    this.spawnFailed = true
    this.lastExit = { code: exConfig }
    this.#settings.emit({ at: Date.now(), label: this.definition.label, event: 'not-started', pid: null })
    this.#keepAlive(false)
  }

  #ended(child: ChildProcess, code: number | null, signal: NodeJS.Signals | null): void {
    const pid = child.pid ?? null
    this.#process = undefined
    this.lastExit = signal === null ? { code: code ?? 0 } : { signal: signalNumbers[signal] ?? 0 }
    endGroup(pid)
    if (signal === 'SIGKILL') this.#settings.killed?.()
    this.#settings.emit({ at: Date.now(), label: this.definition.label, event: 'ended', pid })
    for (const resolve of this.#gone.splice(0)) resolve()
    if (!this.#quiet) this.#keepAlive(code === 0)
  }

  #keepAlive(successful: boolean): void {
    const { keepAlive } = this.definition
    if (this.#removing || keepAlive === null) return
    if (keepAlive === 'always' || keepAlive === successful) this.#speculate('semaphore')
  }
}

/** Without `AbandonProcessGroup`, the rest of a job's process group ends with it. */
function endGroup(pid: number | null): void {
  try {
    if (pid !== null) process.kill(-pid, 'SIGTERM')
  } catch {
    // No process is left, as usual.
  }
}
