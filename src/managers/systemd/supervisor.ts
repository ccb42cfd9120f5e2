import { lastLines } from '../../lib/last-lines.ts'
import type { Service } from '../../model/fleet.ts'
import type { LifeSign } from '../../model/life-sign.ts'
import type { Supervisor, SupervisorReply } from '../supervisor.ts'
import { unitName } from './definition.ts'

export function supervisorOf(service: Service): Supervisor {
  const args = [unitName(service)]
  return {
    life: {
      script: 'exec systemctl show -p LoadState -p ActiveState -p SubState -p NRestarts -p Result -p ExecMainStatus -- "$1"',
      args,
    },
    log: { script: 'exec journalctl --no-pager --quiet -o cat -n "$1" -u "$2"', args },
    readLife: readUnit,
  }
}

/** `systemctl show`: exit status 0 even for units that do not exist. */
export function readUnit({ exitCode, stdout, stderr }: SupervisorReply): LifeSign {
  const values = new Map(stdout.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
  const value = (name: string) => values.get(name) ?? ''
  const active = values.get('ActiveState')
  if (exitCode !== 0 || active === undefined) return { state: 'unknown', detail: lastLines(stderr, 1) }
  if (value('LoadState') === 'not-found') return { state: 'dead', detail: 'the unit does not exist' }
  const sub = value('SubState')
  const lives = ['active', 'activating', 'reloading', 'deactivating'].includes(active) && !sub.startsWith('auto-restart')
  const ended = `${active} (${sub}), ${value('Result')}, exit status ${value('ExecMainStatus')}`
  const restarts = Number(values.get('NRestarts') ?? Number.NaN)
  return { state: lives ? 'alive' : 'dead', detail: lives ? active : ended, ...(Number.isNaN(restarts) ? {} : { restarts }) }
}
