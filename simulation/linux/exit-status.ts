import type { ChildProcess } from 'node:child_process'

/** How a main process ended, as in `ExecMainCode` and `ExecMainStatus`. */
export interface ExitStatus {
  readonly code: number
  /** An exit status or the number of a signal. */
  readonly status: number
}

export const codes = { none: 0, exited: 1, killed: 2 } as const

/** The step at which a child cannot execute the program, and why. */
export const stepNames = { 203: 'EXEC', 217: 'USER' } as const
export const stepReasons = { 203: 'No such file or directory', 217: 'No such process' } as const

const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
}
/** Signals by which a service may end without having failed. */
const cleanSignals: readonly string[] = ['SIGHUP', 'SIGINT', 'SIGPIPE', 'SIGTERM']
const statusNames: Readonly<Record<number, string>> = { 0: 'SUCCESS', 1: 'FAILURE', 2: 'INVALIDARGUMENT', ...stepNames }

export async function exitOf(child: ChildProcess): Promise<ExitStatus & { readonly isClean: boolean }> {
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once('exit', resolve))
  const { exitCode, signalCode } = child
  if (signalCode === null) return { code: codes.exited, status: exitCode ?? 0, isClean: exitCode === 0 }
  return { code: codes.killed, status: signalNumbers[signalCode] ?? 0, isClean: cleanSignals.includes(signalCode) }
}

/** `code=exited, status=1/FAILURE`, as the journal has it. */
export function exitWords({ code, status }: ExitStatus): string {
  if (code === codes.exited) return `code=exited, status=${status}/${statusNames[status] ?? 'n/a'}`
  const signal = Object.entries(signalNumbers).find(([, number]) => number === status)?.[0]
  return `code=killed, status=${status}/${signal?.slice('SIG'.length) ?? 'n/a'}`
}
