import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { parse } from 'yaml'
import { runStep } from '../../src/apply/run-step.ts'
import type { StepFailure } from '../../src/apply/step-failure.ts'
import { Secret, type SecretText } from '../../src/model/secret.ts'
import type { Step } from '../../src/model/step.ts'
import type { Clock } from '../../src/time/clock.ts'
import { shTransport } from '../support/sh-transport.ts'

export interface StepCase {
  readonly name: string
  readonly setup?: string
  /** A step without what is the same everywhere; secrets stand as `{ secret: … }`. */
  readonly step: { readonly content?: readonly (string | { readonly secret: string })[]; readonly [field: string]: unknown }
  readonly ends: { readonly kind: string; readonly [field: string]: unknown }
  readonly look?: string
  readonly shows?: string
}

export const stepFiles = ['put', 'delete', 'run', 'wait'] as const

export function stepCases(file: (typeof stepFiles)[number]): readonly StepCase[] {
  const cases: readonly StepCase[] = parse(readFileSync(new URL(`../fixtures/apply/steps/${file}.yaml`, import.meta.url), 'utf8'))
  return cases
}

/** A clock whose pauses take no time but count. */
export function jumpingClock(start = 0): Clock {
  let now = start
  return {
    now: () => now,
    sleep: async (ms) => {
      now += ms
    },
  }
}

let count = 0
export const nonce = (): string => `n${(count += 1)}`

const sh = promisify(execFile)

/** Sets up, does the step with the given shell, and looks at the ending, at what is there afterwards, and for secrets in argv. */
export async function playStep(stepCase: StepCase, shell: readonly string[]) {
  await using host = await shTransport(shell)
  const look = (script: string) =>
    sh('/bin/sh', ['-c', script], { cwd: host.folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' } })
  if (stepCase.setup !== undefined) await look(stepCase.setup)
  const failure = await runStep(toStep(stepCase.step, host.folder), { transport: host, clock: jumpingClock(), nonce })
  const shown = stepCase.look === undefined ? undefined : (await look(stepCase.look)).stdout
  const argv = JSON.stringify(host.seen)
  return { ends: endingOf(failure), shows: shown, inArgv: secretsOf(stepCase.step).filter((secret) => argv.includes(secret)) }
}

export function expectedOf({ ends, shows }: StepCase) {
  const exact = ends.kind === 'exit' || typeof ends['said'] !== 'string' || ends.kind === 'not-in-time'
  const said: unknown = exact ? ends['said'] : expect.stringContaining(String(ends['said']))
  return { ends: 'said' in ends ? { ...ends, said } : ends, shows, inArgv: [] }
}

function endingOf(failure: StepFailure | undefined): Record<string, unknown> {
  if (failure === undefined) return { kind: 'done' }
  return 'check' in failure ? { ...failure, label: failure.check.label } : { ...failure }
}

function toStep(raw: StepCase['step'], folder: string): Step {
  const filled = { label: 'the step', guards: [], args: [], timeoutMs: 10_000, ...raw }
  const placed: Step = JSON.parse(JSON.stringify(filled), (_key, value: unknown) =>
    value === '@' || (typeof value === 'string' && value.startsWith('@/')) ? `${folder}${value.slice(1)}` : value,
  )
  return placed.do === 'put' ? { ...placed, content: toContent(raw) } : placed
}

function toContent({ content = [] }: StepCase['step']): SecretText {
  return content.map((piece) => (typeof piece === 'string' ? piece : new Secret(piece.secret, 'a fixture')))
}

function secretsOf({ content = [] }: StepCase['step']): readonly string[] {
  return content.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.secret]))
}
