import { execa } from 'execa'
import type { FetchDocument } from '../../../src/model/fetch-document.ts'
import { type LabHost, mustExec } from '../host.ts'
import { command, type Outcome } from './converge.ts'
import { until } from './model-server.ts'
import type { Site } from './site.ts'

/** A `converge fetch` in the background. */
export interface FetchRun extends AsyncDisposable {
  /** `kill -9`. */
  kill(): Promise<void>
  /** Waits for its end: all that it said, and as the last line `exit 0`. */
  ended(): Promise<string>
}

export function beginFetch(site: Site, ...options: readonly string[]): FetchRun {
  const [file = '', ...before] = command
  const run = execa(file, [...before, ...site.arguments(['fetch', ...options])], {
    env: site.environment(),
    extendEnv: false,
    cwd: site.home,
    stdin: 'ignore',
    reject: false,
    all: true,
  })
  const kill = async (): Promise<void> => {
    run.kill('SIGKILL')
    await run
  }
  return {
    kill,
    ended: async () => {
      const { exitCode, signal, all } = await run
      return `${all}\nexit ${exitCode ?? signal}`
    },
    [Symbol.asyncDispose]: kill,
  }
}

/** The one model of a `fetch --json` document. */
export function onlyModel({ stdout, transcript }: Outcome): FetchDocument['models'][number] {
  const document: FetchDocument = JSON.parse(stdout)
  const [model, ...more] = document.models
  if (document.schema !== 'converge/fetch/v1' || model === undefined || more.length > 0)
    throw new Error(`not one model:\n${transcript}`)
  return model
}

/** Names and bytes below a folder of a host, by name. */
export async function filesIn(host: LabHost, folder: string): Promise<Readonly<Record<string, number>>> {
  const said = await mustExec(
    host,
    `cd ${folder} 2>/dev/null && for one in *; do [ ! -f "$one" ] || stat -c '%n %s' "$one"; done; :`,
  )
  const rows = said.split('\n').filter((line) => line !== '')
  return Object.fromEntries(
    rows.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

/** Waits until so many bytes of a file have arrived, partial files counted; the files that there were then. */
export async function untilArrived(
  host: LabHost,
  folder: string,
  name: string,
  bytes: number,
): Promise<Readonly<Record<string, number>>> {
  const arrived = (files: Readonly<Record<string, number>>) =>
    Object.entries(files).reduce((sum, [one, size]) => sum + (one.startsWith(name) ? size : 0), 0)
  const seen = await until(
    () => filesIn(host, folder),
    (files) => arrived(files) >= bytes,
  )
  if (arrived(seen) < bytes) throw new Error(`only ${arrived(seen)} bytes of ${name} arrived`)
  return seen
}

/** The exact process of the one job that there is; empty: there was none. */
export function jobProcess(host: LabHost, root = '/etc/converge'): Promise<string> {
  return mustExec(host, `cut -d ' ' -f 1 ${root}/fetch/*/process 2>/dev/null || :`)
}

/** What runs of the job, or of what it started. */
export function jobsOn(host: LabHost): Promise<string> {
  return mustExec(host, `ps -eo pid,args | grep -e '[/]fetch/[0-9a-f]*/' -e '[-]-user-agent converge' || :`)
}

/** @returns 64 hexadecimal digits, computed by the host */
export async function digestOn(host: LabHost, path: string): Promise<string> {
  return (await mustExec(host, `sha256sum ${path}`)).slice(0, 64)
}
