import { defined } from '../../lib/defined.ts'
import { shell } from '../../lib/next-command.ts'
import type { NextCommand } from '../../model/next-step.ts'
import type { Endpoint } from './endpoint.ts'

/** Lists the host's keys on the host itself. */
export function showHostKeys({ host }: Endpoint, note?: string): NextCommand {
  return shell('for k in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lf "$k"; done', {
    say: `on ${host}:`,
    ...defined({ note }),
  })
}

export function replaceHostKeys({ host }: Endpoint): NextCommand {
  return shell('rm /etc/ssh/ssh_host_*; ssh-keygen -A', {
    say: `on ${host}:`,
    note: 'new host keys, then restart the SSH server',
  })
}
