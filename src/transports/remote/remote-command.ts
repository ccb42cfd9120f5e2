import { InternalError } from '../../errors/converge-error.ts'
import { shellQuote } from '../../lib/shell-quote.ts'
import type { SecretText } from '../../model/secret.ts'
import type { Watch } from '../watch.ts'
import { supervise } from './supervise.ts'

/** How a script is sent: words that start a shell, and its stdin. Process lists show only the words. */
export interface RemoteCommand {
  readonly words: readonly string[]
  /** UTF-8 for stdin; contains secrets in the clear. Stdin stays open afterwards: for `stopWords`, or the script's own input. */
  readonly input: Buffer
  readonly nonce: string
}

export interface CommandInput {
  readonly text: SecretText
  readonly args: readonly string[]
  readonly timeoutMs: number
  /** Seconds that it may continue without a connection. */
  readonly graceS: number
  readonly watch?: Watch
  /** Whether its stdin is its own input, not stop words. */
  readonly isFed?: boolean
  /** Random letters and digits, so that no output looks like a marker. */
  readonly nonce: string
  readonly become?: Become
}

export interface Become {
  readonly user: string
  /** With a password: sudo uses this prompt, and the shell prints `readyMarker` before anything else is sent. */
  readonly prompt?: string
}

/** Printed by the shell behind sudo when it is ready to read; only searched for until then. */
export const readyMarker = 'converge-shell-is-ready;'
/** Printed to stderr if sudo is missing. */
export const noSudoMarker = 'converge-found-no-sudo'

/**
 * Wraps a script for any POSIX sh, started by a login shell that may not be one (fish, csh). The words contain only a
 * user name; the script and its arguments go to stdin.
 */
export function remoteCommand(input: CommandInput): RemoteCommand {
  const supervised = supervise({ ...input, text: input.text.map(quotedBytes) })
  const { become, watch } = input
  const ready = become?.prompt === undefined ? '' : `printf "%s" ${readyMarker.slice(0, -1)}";"; `
  const inner = `${become === undefined ? '' : 'unset LC_ALL; '}${ready}${readTag}`
  const words = ['/bin/sh', '-c', `${ownGroup} ${start(become)}`, 'sh', inner, readScript]
  const head = `${watch === undefined ? '' : tagOf(watch)}\n${supervised.length}\n`
  return { words, input: Buffer.concat([Buffer.from(head), supervised]), nonce: input.nonce }
}

/**
 * A shell reads a line for itself byte by byte, and leaves the rest. First the watch's tag, which may be empty: only a shell that has a script carries it, not
 * one that waits. Where the shell is bash, TMOUT would end what waits: this, and the reader of `supervise`.
 */
const readTag = 'unset TMOUT; read -r t && exec /bin/sh -c "$1" /bin/sh "$t"'
/** Then the length of the script in bytes. So the words are the same for all scripts. */
const readScript = 'read -r n && p=$(head -c "$n") && eval "$p"'

/** The words as one line that sh, bash, zsh, fish and csh all split the same way. */
export function loginShellLine(words: readonly string[]): string {
  return `exec ${words.map(quoteForAnyShell).join(' ')}`
}

/**
 * The script's own process group, so that the watchdog ends nothing else. OpenSSH gives every command one; dropbear does not
 * (`/proc/PID/stat` has the group in its fifth field), and dropbear only runs where there is a /proc.
 */
const ownGroup =
  's=; if [ -r /proc/$$/stat ]; then read -r a b c d g e </proc/$$/stat; ' +
  'if [ "$g" -ne "$$" ] && command -v setsid >/dev/null; then s=setsid; fi; fi;'

function tagOf({ tag }: Watch): string {
  if (!/^[a-z0-9-]+$/.test(tag)) throw new InternalError(`not a tag: ${tag}`)
  return tag
}

function start(become: Become | undefined): string {
  if (become === undefined) return 'exec $s /bin/sh -c "$1" sh "$2"'
  const { user, prompt } = become
  if (!/^[A-Za-z_][A-Za-z0-9._-]*$/.test(user)) throw new InternalError(`not a user name: ${user}`)
  const already = user === 'root' ? '[ "$(id -u)" = 0 ]' : `[ "$(id -un)" = ${user} ]`
  const asking = prompt === undefined ? '-n' : `-k -S -p ${prompt}`
  return [
    `if ${already}; then exec $s /bin/sh -c "$1" sh "$2"; fi;`,
    'PATH="$PATH:/usr/bin:/usr/local/bin:/opt/bin";',
    `command -v sudo >/dev/null || { echo ${noSudoMarker} >&2; exit 1; };`,
    // English messages, because converge parses them.
    'LC_ALL=C; export LC_ALL;',
    `exec $s sudo ${asking} -H -u ${user} -- /bin/sh -c "$1" sh "$2"`,
  ].join(' ')
}

/** Single quotes are portable only if none of these characters is between them. */
function quoteForAnyShell(word: string): string {
  if (/['!\\\n]/.test(word)) throw new InternalError(`cannot be quoted for every login shell: ${word}`)
  return /^[\w/.-]+$/.test(word) ? word : `'${word}'`
}

/** Of texts that go to many hosts: the probe, once for each platform. */
const quotedOnce = new Map<string, Buffer>()

/** Longer than this is the probe: quoting and encoding it for each host would take more time than parsing its answer. */
const longText = 16 * 1024
const mostKept = 4

/** Words that follow each other without a space are one to a shell. */
function quotedBytes(part: SecretText[number]): Buffer {
  if (typeof part !== 'string') return Buffer.from(shellQuote([part.reveal()]))
  if (part.length < longText) return Buffer.from(shellQuote([part]))
  const kept = quotedOnce.get(part)
  if (kept !== undefined) return kept
  const made = Buffer.from(shellQuote([part]))
  if (quotedOnce.size < mostKept) quotedOnce.set(part, made)
  return made
}
