import { ConvergeError } from '../../errors/converge-error.ts'
import { shell } from '../../lib/next-command.ts'
import type { NextStep } from '../../model/next-step.ts'
import type { SshSettings } from '../settings/ssh-settings.ts'
import { fingerprint, keyTypeOf, type Verdict } from '../trust/judge-key.ts'
import type { KnownKeys } from '../trust/known-keys.ts'
import type { Endpoint } from './endpoint.ts'
import { replaceHostKeys, showHostKeys } from './host-key-commands.ts'

interface ShownKey {
  readonly endpoint: Endpoint
  readonly settings: SshSettings
  readonly blob: Buffer
  readonly known: KnownKeys
}

export function hostKeyRefused(verdict: Exclude<Verdict, 'trusted'>, shown: ShownKey): ConvergeError {
  return { unknown: unknownKey, changed: changedKey, revoked: revokedKey }[verdict](shown)
}

function unknownKey({ endpoint, settings, blob }: ShownKey): ConvergeError {
  const { files, lookup, strict } = settings.knownHosts
  const file = files[0] ?? '~/.ssh/known_hosts'
  return new ConvergeError('CONNECT.HOST_KEY_UNKNOWN', {
    summary: 'the host key is unknown',
    why:
      `${endpoint.host} (${endpoint.at}) showed the ${keyTypeOf(blob)} key ${fingerprint(blob)}, and none of ${files.join(', ')} ` +
      `has a key for '${lookup}'.${aboutStrictness(strict)}`,
    next: [showHostKeys(endpoint, `compare with ${fingerprint(blob)}`), ...addKey(endpoint, settings, file)],
  })
}

/** ssh-keyscan ignores jump hosts and aliases; logging in once with ssh does not. */
function addKey(endpoint: Endpoint, settings: SshSettings, file: string): readonly NextStep[] {
  const { hostname, port, knownHosts } = settings
  const direct =
    settings.proxyJump === undefined && settings.proxyCommand === undefined && knownHosts.lookup.includes(hostname.toLowerCase())
  return direct
    ? [shell(`ssh-keyscan -p ${port} ${hostname} >> ${file}`, { say: 'then:' })]
    : [shell(`${endpoint.sshCommand} true`, { say: 'then:', note: 'and answer yes' })]
}

function aboutStrictness(strict: string): string {
  if (strict === 'accept-new')
    return ' Your ssh config says accept-new; converge never writes to a known-hosts file, so it cannot accept and remember a key. Log in once with ssh.'
  if (['no', 'false', 'off'].includes(strict))
    return ' Your ssh config disables StrictHostKeyChecking; converge ignores that, because it may run commands as root on the wrong host.'
  return ''
}

function changedKey({ endpoint, settings, blob, known }: ShownKey): ConvergeError {
  const { lookup } = settings.knownHosts
  const places = [...new Set(known.trusted.map(({ file, line }) => `${file}:${line}`))]
  const files = [...new Set(known.trusted.map(({ file }) => file))]
  return new ConvergeError('CONNECT.HOST_KEY_CHANGED', {
    summary: 'the host key has changed',
    why:
      `${endpoint.host} (${endpoint.at}) showed the ${keyTypeOf(blob)} key ${fingerprint(blob)}, but ${places.join(', ')} has ` +
      `${known.trusted.length === 1 ? 'another key' : 'other keys'} for '${lookup}'. The machine was reinstalled, or it is another machine, or the connection is intercepted.`,
    next: [
      showHostKeys(endpoint, `compare with ${fingerprint(blob)}`),
      ...files.map((file) => shell(`ssh-keygen -R '${lookup}' -f ${file}`, { say: 'only if it is the right machine:' })),
      shell(`${endpoint.sshCommand} true`, { say: 'then:', note: 'and answer yes' }),
    ],
  })
}

function revokedKey({ endpoint, blob, known }: ShownKey): ConvergeError {
  const places = known.revoked.map(({ file, line }) => `${file}:${line}`)
  return new ConvergeError('CONNECT.HOST_KEY_REVOKED', {
    summary: 'the host key is revoked',
    why: `${endpoint.host} (${endpoint.at}) showed the ${keyTypeOf(blob)} key ${fingerprint(blob)}, which ${places.join(', ')} marks as @revoked.`,
    next: [replaceHostKeys(endpoint)],
  })
}
