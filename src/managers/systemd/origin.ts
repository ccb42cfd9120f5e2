import type { StartedServer } from '../../servers/read-back.ts'
import type { FoundProcess, Origin } from '../manager.ts'
import { concerns } from './concerns.ts'

/** The unit that a process belongs to. */
export function originOf({ resident, surveyed }: FoundProcess): Origin | undefined {
  const { unit } = resident
  if (unit === undefined) return undefined
  if (isStartedByShell(resident, surveyed?.mainPid)) return undefined
  const [, account] = /\/user@(\d+)\.service\//.exec(surveyed?.cgroup ?? '') ?? []
  if (account !== undefined)
    return {
      words: `the user unit ${unit}`,
      fields: {},
      unmanageable: `it is a unit of the systemd of user ${account}, and converge manages units of the system`,
    }
  const origin = {
    words: `the unit ${unit}`,
    fields: { unit: unit.replace(/\.service$/, '') },
    ...(surveyed?.env === undefined ? {} : { started: startedBy(resident.argv, surveyed.env) }),
  }
  return unit.includes('@') ? { ...origin, unmanageable: 'it is an instance of a template' } : origin
}

/** A shell that ran in the unit started it: of a login, of a scheduled job. */
function isStartedByShell({ pid, ppid }: FoundProcess['resident'], mainPid: number | undefined): boolean {
  return mainPid !== undefined && mainPid !== pid && mainPid !== ppid
}

/** Variables that the definitions of converge leave to systemd are no settings of the server. */
function startedBy(argv: readonly string[], env: Readonly<Record<string, string>>): StartedServer {
  const own = Object.entries(env).filter(([name]) => concerns(`environment.${name}`) !== 'next-start')
  return { argv, env: Object.fromEntries(own), ownEnv: true }
}
