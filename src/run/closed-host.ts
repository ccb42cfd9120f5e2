import { ConvergeError } from '../errors/converge-error.ts'
import { secretNotAsked } from '../inventory/secret-reference.ts'
import type { Connection, Host } from '../model/fleet.ts'
import type { SecretResolver } from './keys.ts'

/** Never reads the sudo password of a host, not even from the environment: the inventory could send it to any host. */
export const withholdPassword: SecretResolver = (reference) => Promise.reject(secretNotAsked(reference))

/**
 * With `--no-secret-commands`, an inventory gives the address and account of a host and no other connection settings: no program, file
 * or variable of this machine, no weaker check of host keys, and not this machine itself, where its programs would run.
 *
 * @throws ConvergeError `CONNECT.UNTRUSTED`
 */
export function mustStartNothing({ name, connection }: Pick<Host, 'name' | 'connection'>): void {
  const what = strangeVariable(connection) ?? strangeArgument(connection.sshArgs)
  if (what === undefined) return
  throw new ConvergeError('CONNECT.UNTRUSTED', {
    summary: 'Connection settings of an untrusted inventory are not used.',
    why: `${what} of ${name} could run programs on this machine or expose its contents. --no-secret-commands forbids that, so the state of ${name} is unknown.`,
    next: [
      'Move the settings to the ssh config of the machine that runs converge (`--ssh-config`).',
      'Omit --no-secret-commands if you trust the inventory.',
    ],
  })
}

/** An ssh config uses names and addresses in commands (`ProxyCommand … %h`), and ssh expands variables in key paths (`${NAME}`). */
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

/** Flags without a value: ssh(1). */
const flags = /^-[46CTakqx]+$/u
const withValue = /^-([cJlmop])(.*)$/su

const account = /^\w[\w.@+-]*$/u
const host = /^[\w:][\w.:-]*(?:%\w+)?$/u
const hop = String.raw`(?:\w[\w.-]*@)?(?:\w[\w.-]*|\[[\da-f:.]+\])(?::\d+)?`
const hops = new RegExp(`^${hop}(?:,${hop})*$`, 'iu')
const number = /^\d+$/u
const yesOrNo = /^(?:yes|no)$/iu
const algorithms = /^[-+^]?\w[\w.@*,-]*$/u

/** Values contain no shell characters: older versions of ssh put names into commands unquoted. */
const letters: ReadonlyMap<string, RegExp> = new Map([
  ['c', algorithms],
  ['J', hops],
  ['l', account],
  ['m', algorithms],
  ['p', number],
])

/** ssh_config(5). Host keys may be checked more strictly, never less: later runs would trust a key that was noted as known. */
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

/** The first argument, with its value, that is not known to be harmless. */
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

/** An ssh_config option must have a plain form, `Port=22` or `Port 22`. */
function isHarmless(letter: string, value: string): boolean {
  if (letter !== 'o') return letters.get(letter)?.test(value) === true
  const [, keyword = '', set = ''] = /^\s*([a-z0-9]+)(?:\s*=\s*|\s+)(\S+)\s*$/iu.exec(value) ?? []
  return keywords.get(keyword.toLowerCase())?.test(set) === true
}
