import type { RunEvent } from '../model/event.ts'
import { defaultPlayName } from '../model/playbook.ts'
import { type ActionResult, failedLater, requestIn, type SmokeResult } from '../model/report.ts'
import { checkWords } from '../report/check-words.ts'
import { duration } from '../report/duration.ts'

type Phase = Extract<RunEvent, { readonly type: 'phase' }>['phase']

const phases: Readonly<Record<Phase, string>> = {
  gather: 'Gathering facts from',
  apply: 'Applying to',
  verify: 'Verifying',
  'second-plan': 'Checking',
}

/** `Gathering facts from 12 hosts`, `Gathering facts from nas`, `Checking nas again`. */
export function phaseWords(phase: Phase, hosts: readonly string[]): string {
  return `${phases[phase]} ${hostWords(hosts)}${phase === 'second-plan' ? ' again' : ''}`
}

/** `Play [Small machines]: batch 2 of 4, 3 hosts`; a single batch has no number. Without a playbook: `Applying to 2 hosts`. */
export function batchWords(batch: Extract<RunEvent, { readonly type: 'batch-started' }>): string {
  if (batch.play === defaultPlayName && batch.count === 1) return phaseWords('apply', batch.hosts)
  const which = batch.count === 1 ? '' : ` batch ${batch.number} of ${batch.count},`
  return `Play [${batch.play}]:${which} ${hostWords(batch.hosts)}`
}

/** `Fetching 3 files`. */
export function fetchWords(files: number): string {
  return `Fetching ${files === 1 ? 'one file' : `${files} files`}`
}

function hostWords(hosts: readonly string[]): string {
  return hosts.length === 1 ? (hosts[0] ?? '') : `${hosts.length} hosts`
}

/** `coder` and `start` out of `nas/coder/start`. */
export function actionName(id: string): { readonly service: string; readonly kind: string } {
  const [, service = '', kind = ''] = id.split('/')
  return { service, kind }
}

export function resultWords(result: ActionResult): string {
  const { status, ms, problem, left } = result
  if (status === 'applied') return `done in ${duration(ms)}`
  if (failedLater(result)) return problem?.summary ?? ''
  if (status === 'failed') return `failed: ${problem?.summary ?? left ?? ''}`
  return status === 'refused' ? 'refused' : `not run: ${left ?? ''}`
}

export function smokeWords({ ok, checks }: SmokeResult): string {
  const failed = checks.find((check) => !check.ok)
  if (!ok)
    return failed === undefined ? 'does not work' : `does not work: ${checkWords[failed.name]}: ${firstLine(failed.detail)}`
  const answer = requestIn(checks)
  return answer === undefined ? 'answers' : `verified, first ${checkWords[answer.name]} after ${duration(answer.ms)}`
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
