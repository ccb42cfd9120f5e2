import { createInterface } from 'node:readline/promises'
import type { Context } from '../../context/context.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { readTarget } from '../../inventory/create/target.ts'
import { defined } from '../../lib/defined.ts'
import { converge } from '../../lib/next-command.ts'
import { configuredHosts } from '../../transports/settings/resolve-settings.ts'
import { createStartLimiter } from '../../transports/start-limiter.ts'

/** The hosts of the ssh config that can be hosts of an inventory. @throws ConvergeError `USAGE.COMMAND` if there are none */
export async function hostsToOffer(
  { env, signal }: Context,
  { sshConfig }: { readonly sshConfig?: string | undefined },
): Promise<readonly string[]> {
  const all = await configuredHosts({ env, signal, startLimiter: createStartLimiter(), ...defined({ sshConfig }) })
  const names = all.filter((name) => isName(name))
  if (names.length > 0) return names
  throw new ConvergeError('USAGE.COMMAND', {
    summary: 'No host was named.',
    why: `${sshConfig ?? '~/.ssh/config'} has no \`Host\` lines with names either, so converge has none to offer.`,
    next: [
      converge(['init'], { say: 'Name hosts as you would for ssh:', fillIn: 'USER@HOST …' }),
      converge(['init', '--example', 'box'], { say: 'Or write an example to start from:' }),
    ],
  })
}

function isName(word: string): boolean {
  const target = readTarget(word)
  return typeof target !== 'string' && target.name === word
}

/** What to type without a terminal to ask on. */
export function nameThem(names: readonly string[], sshConfig: string | undefined): ConvergeError {
  return new ConvergeError('USAGE.COMMAND', {
    summary: 'No host was named, and there is no terminal to ask on.',
    why: `${sshConfig ?? '~/.ssh/config'} has these hosts: ${names.join(', ')}.`,
    next: [converge(['init', ...names.slice(0, 3), '-y'], { say: 'Name those for model servers, such as:' })],
  })
}

/** Asks on stderr which of the hosts to look at. Empty: none, or an interrupt. */
export async function chooseHosts({ err, stdin, signal }: Context, names: readonly string[]): Promise<readonly string[]> {
  const width = String(names.length).length
  const rows = names.map((name, index) => `  ${err.paint(['dim'], String(index + 1).padStart(width))}  ${name}\n`)
  err.writeProse(`Hosts of your ssh config:\n${rows.join('')}\n`)
  const prompt = createInterface({ input: stdin, output: err.stream })
  const gone = new Promise<undefined>((resolve) => {
    // On a terminal readline handles Ctrl-C itself.
    prompt.once('SIGINT', () => resolve(undefined))
    prompt.once('close', () => resolve(undefined))
  })
  const ask = async () =>
    prompt.question('Which of them are for model servers? Numbers, names or all: ', { signal }).catch(() => undefined)
  try {
    for (;;) {
      const answer = await Promise.race([ask(), gone])
      const chosen = readChoice(answer ?? '', names)
      if (typeof chosen !== 'string') return chosen
      err.writeProse(`${chosen}\n`)
    }
  } finally {
    prompt.close()
  }
}

/**
 * The chosen names, from `1 3`, `1,3`, `2-4`, `nas box`, `all`.
 *
 * @returns a sentence if a word is none of them
 */
export function readChoice(answer: string, names: readonly string[]): readonly string[] | string {
  const words = answer.split(/[\s,]+/).filter((word) => word !== '')
  const chosen = words.map((word) => chosenBy(word, names))
  const unknown = words.filter((_, index) => chosen[index]?.length === 0)
  if (unknown.length > 0) return `There is no ${unknown.join(', no ')} in the list.`
  return [...new Set(chosen.flat())]
}

function chosenBy(word: string, names: readonly string[]): readonly string[] {
  if (names.includes(word)) return [word]
  if (word === 'all') return names
  const { first, last = first } = /^(?<first>\d+)(?:-(?<last>\d+))?$/.exec(word)?.groups ?? {}
  return first === undefined || Number(first) < 1 || Number(last) > names.length
    ? []
    : names.slice(Number(first) - 1, Number(last))
}
