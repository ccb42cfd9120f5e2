import { lastLines } from '../../lib/last-lines.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { LifeSign } from '../../model/life-sign.ts'
import type { LogSource, Supervisor, SupervisorReply } from '../supervisor.ts'
import { unitName } from './definition.ts'
import { unitFields } from './fields.ts'
import { seenDefinition } from './seen.ts'

export function supervisorOf(service: Service, facts: Pick<HostFacts, 'definitions'>): Supervisor {
  const args = [unitName(service)]
  return {
    life: {
      script: 'exec systemctl show -p LoadState -p ActiveState -p SubState -p NRestarts -p Result -p ExecMainStatus -- "$1"',
      args,
    },
    logs: [{ in: 'journal', unit: unitName(service) }, ...filesOf(service, facts)],
    readLife: readUnit,
  }
}

/** Files that a person's unit or its drop-ins redirect a stream to. The journal still has what systemd itself says of the unit. */
function filesOf(service: Service, facts: Pick<HostFacts, 'definitions'>): readonly LogSource[] {
  const seen = seenDefinition(service, facts)
  if (!seen.known || seen.value === null) return []
  const fields = { ...unitFields(seen.value.content), ...unitFields(seen.value.overlay ?? '') }
  const paths = [fields['StandardOutput'], fields['StandardError']].flatMap(
    (value) => /^(?:append|file|truncate):(.+)$/.exec(value ?? '')?.[1] ?? [],
  )
  return [...new Set(paths)].map((path): LogSource => ({ in: 'file', path }))
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
