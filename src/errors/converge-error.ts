import type { InventoryIssue } from '../model/issue.ts'
import type { NextStep } from '../model/next-step.ts'
import type { Problem } from '../model/plan.ts'
import type { ErrorCode } from './catalogue.ts'

/** An error that a person can act on: invalid input, an unreachable host, a failed step. Never a bug. */
export class ConvergeError extends Error {
  readonly code: ErrorCode
  readonly summary: string
  readonly why: string
  readonly next: readonly NextStep[]
  /** All issues found in the files, if the files are invalid. */
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

/** A bug in converge. The last catch prints it and how to report it; exit code 1. */
export class InternalError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'InternalError'
  }
}
