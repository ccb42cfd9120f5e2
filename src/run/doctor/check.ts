import type { Check, Subject, Verdict } from '../../model/doctor-document.ts'
import type { NextStep } from '../../model/next-step.ts'

export function ok(about: Subject, found: string): Check {
  return { about, verdict: 'ok', found, next: [] }
}

export function note(about: Subject, found: string, next: readonly NextStep[] = []): Check {
  return { about, verdict: 'note', found, next }
}

export function problem(about: Subject, found: string, next: readonly NextStep[]): Check {
  return { about, verdict: 'problem', found, next }
}

/** The worst of several. */
export function worst(checks: readonly Check[]): Verdict {
  const verdicts = checks.map(({ verdict }) => verdict)
  return verdicts.find((one) => one === 'problem') ?? verdicts.find((one) => one === 'note') ?? 'ok'
}

/** In one line, and short: of what a program or the system said. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`
}
