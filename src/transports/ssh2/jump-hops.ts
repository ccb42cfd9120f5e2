import { ConvergeError } from '../../errors/converge-error.ts'
import { defined } from '../../lib/defined.ts'
import type { Destination } from '../settings/destination.ts'

/** One jump host of a ProxyJump; its own config determines the login. */
export type Hop = Pick<Destination, 'name' | 'user' | 'port'>

/** `[user@]host[:port]`, IPv6 in brackets, or an ssh URL; several separated by commas, the first hop first. */
export function parseHops(text: string): readonly Hop[] {
  return text.split(',').map((hop) => {
    const match = /^(?:ssh:\/\/)?(?:(.+)@)?(\[[^\]]+\]|[^:@]+)(?::(\d+))?\/?$/.exec(hop.trim())
    const [, user, host, port] = match ?? []
    if (host === undefined) throw unusable(`'${text}' is not a valid ProxyJump: [user@]host[:port], several separated by commas.`)
    return {
      name: host.replace(/^\[(.*)\]$/, '$1'),
      ...defined({ user }),
      ...(port === undefined ? {} : { port: Number(port) }),
    }
  })
}

export function jumpLoop(name: string): ConvergeError {
  return unusable(
    `Jump host ${name} is reached through itself. Exclude it from the block that sets ProxyJump: \`Host * !${name}\`.`,
  )
}

function unusable(why: string): ConvergeError {
  return new ConvergeError('CONNECT.SSH_CONFIG', {
    summary: 'the ssh config is unusable',
    why,
    next: ['man ssh_config   # ProxyJump'],
  })
}
