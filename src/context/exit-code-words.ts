import { exitCodes } from './exit-code.ts'

interface ExitCodeWords {
  /** A few words, for the table of `converge --help`. */
  readonly title: string
  /** Full sentences: when a run ends with it. */
  readonly explain: string
}

/** What each exit code means, for people. */
export const exitCodeWords: Readonly<Record<keyof typeof exitCodes, ExitCodeWords>> = {
  done: {
    title: 'done, or nothing to do',
    explain: 'The command did everything it was asked to do, or there was nothing to do.',
  },
  bug: {
    title: 'a bug in converge',
    explain: 'converge failed unexpectedly, for all hosts or for one.',
  },
  changes: {
    title: 'changes pending, or drift',
    explain:
      '`drift` or `doctor` found something; `--check` of `fetch`, `prune` or `pin` found something to do; or changes are pending and `--detailed-exitcode` was given. No host was changed.',
  },
  refused: {
    title: 'refused',
    explain: 'A rule refused at least one action. The other actions were done or planned.',
  },
  unreachable: {
    title: 'a host is unreachable',
    explain:
      'At least one host could not be reached or observed, or a secret or a model hub was not available. The other hosts were handled.',
  },
  stepFailed: {
    title: 'a step failed',
    explain:
      'Something that the command tried failed, such as a step on a host, a download or a test notification. The report says what happened.',
  },
  notProved: {
    title: 'applied, but not verified',
    explain: 'A smoke test failed, or the plan that `apply` makes at its end still had changes that no rule refuses.',
  },
  planStale: {
    title: 'the saved plan is stale',
    explain:
      'The saved plan, or the run to resume, no longer fits the inventory, the hosts or this version; or an earlier run applied the plan. What no longer fits was not done. Plan again. Changes that are already in place do not make a plan stale: `apply` skips them.',
  },
  locked: {
    title: 'another run holds the lock',
    explain:
      'Another run holds the lock of a host or of the inventory, or took it over during this run. `--lock-timeout` waits for it to finish.',
  },
  usage: {
    title: 'usage error',
    explain: 'The command line is wrong: an unknown option, a missing value, or a name of something that does not exist.',
  },
  invalidInput: {
    title: 'invalid inventory or playbook',
    explain: 'The inventory, the playbook or another file that converge reads contains a mistake or cannot be read.',
  },
  interrupted: {
    title: 'interrupted, or you answered no',
    explain:
      'The run was interrupted, for instance with Ctrl-C, or you answered no to its prompt. `converge resume` finishes an interrupted `apply`.',
  },
}

/** All of them in two columns, for `converge --help`. */
export function exitCodeTable(): string {
  const cells = Object.entries(exitCodes)
    .toSorted(([, a], [, b]) => a - b)
    .map(([name, code]) => ({ code: String(code), title: titleOf(name) }))
  const rows = Math.ceil((cells.length + 2) / 2)
  const [left, right] = [cells.slice(0, rows), cells.slice(rows)]
  return left
    .map(({ code, title }, index) => {
      const beside = right[index]
      const first = `${code.padStart(5)}  ${title}`
      return beside === undefined ? first : `${first.padEnd(36)}${beside.code.padStart(3)}  ${beside.title}`
    })
    .join('\n')
}

function titleOf(name: string): string {
  return Object.entries(exitCodeWords).find(([one]) => one === name)?.[1].title ?? ''
}
