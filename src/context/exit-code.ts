/** How a run ends; the numbers are part of the command-line interface. */
export const exitCodes = {
  done: 0,
  bug: 1,
  changes: 2,
  refused: 3,
  unreachable: 4,
  stepFailed: 5,
  notProved: 6,
  planStale: 7,
  locked: 8,
  usage: 64,
  invalidInput: 65,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export function isExitCode(code: number): code is ExitCode {
  return Object.values<number>(exitCodes).includes(code)
}

/** Precedence if several apply; the first wins. */
const precedence: readonly ExitCode[] = [64, 65, 1, 130, 7, 8, 5, 6, 4, 3, 2, 0]

export function worstOf(codes: readonly ExitCode[]): ExitCode {
  return precedence.find((code) => codes.includes(code)) ?? exitCodes.done
}
