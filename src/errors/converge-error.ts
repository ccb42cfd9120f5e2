import type { InventoryIssue } from '../model/issue.ts'
import type { NextStep } from '../model/next-step.ts'
import type { Problem } from '../model/plan.ts'
import type { ErrorCode } from './catalogue.ts'

/** Something a person can act on: wrong input, a host that does not answer, a step that failed. Never a bug. */
export class ConvergeError extends Error {
  readonly code: ErrorCode
  readonly summary: string
  readonly why: string
  readonly next: readonly NextStep[]
  /** Everything found in the files, where files are what is wrong. */
  readonly issues: readonly InventoryIssue[]

  constructor(
    code: ErrorCode,
    words: { summary: string; why: string; next: readonly NextStep[]; issues?: readonly InventoryIssue[] },
    options?: ErrorOptions,
  ) {
    super(`${code}: ${words.summary} ${words.why}`, options)
    this.name = 'ConvergeError'
    this.code = code
    this.summary = words.summary
    this.why = words.why
    this.next = words.next
    this.issues = words.issues ?? []
  }

  toProblem(): Problem {
    return { code: this.code, summary: this.summary, why: this.why, next: this.next }
  }
}

/** A bug in converge. The last catch prints it with how to report it; exit 1. */
export class InternalError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'InternalError'
  }
}
