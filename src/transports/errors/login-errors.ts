import { ConvergeError } from '../../errors/converge-error.ts'
import { shell } from '../../lib/next-command.ts'
import type { LoginPlan } from '../login/login-plan.ts'
import type { SshSettings } from '../settings/ssh-settings.ts'
import type { Endpoint } from './endpoint.ts'
import { said } from './session-errors.ts'

export interface RefusedLogin {
  readonly endpoint: Endpoint
  readonly settings: SshSettings
  readonly plan: LoginPlan
  /** Labels of the keys that were offered until the server ended the login. */
  readonly offered: readonly string[]
  /** The methods that the server would accept: `publickey`, `password`, … */
  readonly methods: readonly string[]
  /** A key was accepted, but the server requires more. */
  readonly partial: boolean
  readonly detail: string
}

export function loginRefused(login: RefusedLogin): ConvergeError {
  const { endpoint, settings, plan, offered } = login
  return new ConvergeError('CONNECT.AUTH_FAILED', {
    summary: 'the host did not accept the login',
    why: [
      `${endpoint.host} (${endpoint.at}) did not let user ${settings.user} in.`,
      offered.length === 0 ? 'No key was offered.' : `Offered: ${offered.join('; ')}.`,
      ...(plan.leftOut.length === 0 ? [] : [`Not offered: ${plan.leftOut.join('; ')}.`]),
      ...aboutMethods(login),
    ].join(' '),
    next: [
      `ssh-copy-id ${endpoint.sshCommand.replace(/^ssh /, '')}`,
      `set ansible_user and ansible_ssh_private_key_file for ${endpoint.host}`,
      shell(`${endpoint.sshCommand.replace(/^ssh/, 'ssh -v')} true`),
    ],
  })
}

function aboutMethods({ methods, partial, detail }: RefusedLogin): readonly string[] {
  if (partial) return ['A key was accepted, but the server requires a second factor, which converge does not support.']
  if (methods.length > 0 && !methods.includes('publickey')) return [`The server accepts no keys, only: ${methods.join(', ')}.`]
  return [said(detail).trim()].filter((words) => words !== '')
}

/** There is no key to offer; reasons in the order in which a person would fix them. */
export function nothingToOffer(endpoint: Endpoint, settings: SshSettings, plan: LoginPlan): ConvergeError {
  const [encrypted] = plan.encrypted
  const words = `${endpoint.host} (${endpoint.at}): there is no key for the login.${plan.leftOut.map((reason) => ` ${reason}.`).join('')}`
  if (encrypted !== undefined)
    return new ConvergeError('CONNECT.KEY_ENCRYPTED', {
      summary: 'the key file needs a passphrase',
      why: words,
      next: [
        shell(`ssh-add ${encrypted}`),
        ...(settings.identities.agent === undefined ? [shell('eval "$(ssh-agent)"', { note: 'no agent runs here' })] : []),
      ],
    })
  if (settings.identities.fromInventory)
    return new ConvergeError('CONNECT.KEY_FILE', {
      summary: 'the key file cannot be used',
      why: words,
      next: [shell(`ls -l ${settings.identities.files.join(' ')}`), `set ansible_ssh_private_key_file for ${endpoint.host}`],
    })
  return new ConvergeError('CONNECT.NO_KEY', {
    summary: 'there is no usable login key',
    why: `${words} Looked for an agent and at ${settings.identities.files.join(', ') || 'no file'}.`,
    next: [
      shell('ssh-add KEYFILE', { note: 'your key in another folder' }),
      `set ansible_ssh_private_key_file for ${endpoint.host}`,
      shell('ssh-keygen -t ed25519', { note: 'if you have no key yet; then ssh-copy-id' }),
    ],
  })
}
