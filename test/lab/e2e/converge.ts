import { join } from 'node:path'
import { execa } from 'execa'
import type { Plan } from '../../../src/model/plan.ts'
import type { RunReport } from '../../../src/model/report.ts'
import { convergeToTheByte } from '../../support/converge-here.ts'
import { startedBy } from '../../support/program.ts'

/** What is run, for a test that needs a terminal or another process around it. */
export const command: readonly string[] = startedBy(process.execPath)

export interface CallOptions {
  /** Added to an environment that has nothing but PATH, HOME, LANG and a place for journals. */
  readonly env?: Readonly<Record<string, string>>
  /** An empty folder, so that nothing of the person who runs the tests is read. */
  readonly home: string
  /** Ends the run by force after so many milliseconds. */
  readonly timeoutMs?: number
}

export interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Everything, for the message of a failed expectation. */
  readonly transcript: string
  /** stdout as the one JSON document that it has to be. */
  plan(): Plan
  report(): RunReport
}

export function environment({ env = {}, home }: CallOptions): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C.UTF-8', CONVERGE_STATE_DIR: join(home, 'state'), ...env }
}

/** Most of a short run is the start of Node: with `CONVERGE_E2E_HERE`, runs that nothing but arguments and environment reach have no process. */
const isHere = process.env['CONVERGE_E2E_HERE'] !== undefined

/** Whatever its exit code, it is a value. */
export async function converge(args: readonly string[], options: CallOptions): Promise<Outcome> {
  if (isHere) {
    const { code, stdout, stderr } = await convergeToTheByte(args, { env: environment(options), cwd: options.home })
    return outcomeOf(args, { exitCode: code, end: `exit code ${code}`, stdout, stderr })
  }
  const [file = '', ...before] = command
  const { exitCode, stdout, stderr, timedOut, signal } = await execa(file, [...before, ...args], {
    env: environment(options),
    extendEnv: false,
    cwd: options.home,
    stdin: 'ignore',
    reject: false,
    stripFinalNewline: false,
    timeout: options.timeoutMs ?? 100_000,
  })
  const end = timedOut ? 'ended by force, it took too long' : `exit code ${exitCode ?? signal}`
  return outcomeOf(args, { exitCode, end, stdout, stderr })
}

interface Ended {
  readonly exitCode: number | undefined
  /** For people. */
  readonly end: string
  readonly stdout: string
  readonly stderr: string
}

function outcomeOf(args: readonly string[], { exitCode, end, stdout, stderr }: Ended): Outcome {
  const transcript = `converge ${args.join(' ')}\n${end}\n--- stdout\n${stdout}\n--- stderr\n${stderr}`
  return {
    exitCode: exitCode ?? -1,
    stdout,
    stderr,
    transcript,
    plan: () => parse<Plan>(stdout, transcript, 'converge/plan/v1'),
    report: () => parse<RunReport>(stdout, transcript, 'converge/report/v1'),
  }
}

function parse<T extends { readonly schema: string }>(text: string, transcript: string, schema: T['schema']): T {
  try {
    const document: T = JSON.parse(text)
    if (document.schema === schema) return document
  } catch {
    // Said below, with everything that was printed.
  }
  throw new Error(`stdout is not one document ${schema}\n${transcript}`)
}
