import { ConvergeError } from '../errors/converge-error.ts'
import { secretNotAsked } from '../inventory/secret-reference.ts'
import type { Connection, Host } from '../model/fleet.ts'
import type { SecretResolver } from './keys.ts'

/** Who named the host would be given it: its password for sudo is asked for nowhere, not even in the environment. */
export const withholdPassword: SecretResolver = (reference) => Promise.reject(secretNotAsked(reference))

/**
 * With `--no-secret-commands` an inventory says where a host is and who logs in, and nothing else of how it is reached: no program, file or
 * variable of this machine comes into it, no weaker look at host keys, and not this machine itself, on which its programs would be run.
 *
 * @throws ConvergeError `CONNECT.UNTRUSTED`
 */
export function mustStartNothing({ name, connection }: Pick<Host, 'name' | 'connection'>): void {
  const what = strangeVariable(connection) ?? strangeArgument(connection.sshArgs)
  if (what === undefined) return
  throw new ConvergeError('CONNECT.UNTRUSTED', {
    summary: 'Connection settings of an untrusted inventory are not used.',
    why: `${what} of ${name} could run programs on this machine, or tell what is on it, and --no-secret-commands keeps the inventory from that. Nothing is known of ${name}.`,
    next: [
      'Put what you need to reach your hosts into the ssh config of the machine that runs converge (`--ssh-config`).',
      'Call it without --no-secret-commands where you trust who wrote the inventory.',
    ],
  })
}

/** Names and addresses come into the commands of an ssh config (`ProxyCommand … %h`), and ssh expands variables in the path of a key (`${NAME}`). */
function strangeVariable({ transport, address, user, privateKeyFile = '' }: Connection): string | undefined {
  if (transport === 'local') return '`ansible_connection: local`'
  if (!host.test(address)) return '`ansible_host`'
  if (user !== undefined && !account.test(user)) return '`ansible_user`'
  return privateKeyFile.includes('$') ? '`ansible_ssh_private_key_file`' : undefined
}

function strangeArgument(words: readonly string[]): string | undefined {
  const word = firstUnknown(words)
  if (word === undefined) return undefined
  const shown = /^-(?:o\s*["=]?[a-z0-9]{1,40}|[a-z0-9])/iu.exec(word)?.[0]
  return shown === undefined ? 'An argument for ssh' : `The argument \`${shown}\` for ssh`
}

/** Without a value: ssh(1). */
const flags = /^-[46CTakqx]+$/u
const withValue = /^-([cJlmop])(.*)$/su

const account = /^\w[\w.@+-]*$/u
const host = /^[\w:][\w.:-]*(?:%\w+)?$/u
const hop = String.raw`(?:\w[\w.-]*@)?(?:\w[\w.-]*|\[[\da-f:.]+\])(?::\d+)?`
const hops = new RegExp(`^${hop}(?:,${hop})*$`, 'iu')
const number = /^\d+$/u
const yesOrNo = /^(?:yes|no)$/iu
const algorithms = /^[-+^]?\w[\w.@*,-]*$/u

/** Values hold no character that a shell knows: older versions of ssh put names into commands as they are. */
const letters: ReadonlyMap<string, RegExp> = new Map([
  ['c', algorithms],
  ['J', hops],
  ['l', account],
  ['m', algorithms],
  ['p', number],
])

/** ssh_config(5). Host keys may be looked at more strictly, never less: what is noted as known would be believed by later runs. */
const keywords: ReadonlyMap<string, RegExp> = new Map([
  ['addressfamily', /^(?:any|inet6?)$/iu],
  ['batchmode', yesOrNo],
  ['ciphers', algorithms],
  ['compression', yesOrNo],
  ['connectionattempts', number],
  ['connecttimeout', number],
  ['forwardagent', /^no$/iu],
  ['hostkeyalgorithms', algorithms],
  ['hostname', /^[\w:][\w.:-]*$/u],
  ['identitiesonly', yesOrNo],
  ['kexalgorithms', algorithms],
  ['macs', algorithms],
  ['port', number],
  ['proxyjump', hops],
  ['pubkeyacceptedalgorithms', algorithms],
  ['serveralivecountmax', number],
  ['serveraliveinterval', number],
  ['stricthostkeychecking', /^(?:yes|ask)$/iu],
  ['tcpkeepalive', yesOrNo],
  ['user', account],
])

/** The first of the arguments, with its value, that is not known to be harmless. */
function firstUnknown(words: readonly string[]): string | undefined {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (flags.test(word)) continue
    const [, letter = '', inline = ''] = withValue.exec(word) ?? []
    if (letter !== '' && inline === '') at += 1
    const value = inline === '' ? (words[at] ?? '') : inline
    if (!isHarmless(letter, value)) return `-${letter}${value}`
  }
  return undefined
}

/** An option of ssh_config has to be in one of its plain forms, `Port=22` or `Port 22`. */
function isHarmless(letter: string, value: string): boolean {
  if (letter !== 'o') return letters.get(letter)?.test(value) === true
  const [, keyword = '', set = ''] = /^\s*([a-z0-9]+)(?:\s*=\s*|\s+)(\S+)\s*$/iu.exec(value) ?? []
  return keywords.get(keyword.toLowerCase())?.test(set) === true
}
