import type { FoundProcess, Origin } from '../manager.ts'

/** The unit that a process belongs to. */
export function originOf({ resident, surveyed }: FoundProcess): Origin | undefined {
  const { unit } = resident
  if (unit === undefined) return undefined
  const { mainPid } = surveyed ?? {}
  // A shell that ran in the unit started it: of a login, of a scheduled job.
  if (mainPid !== undefined && mainPid !== resident.pid && mainPid !== resident.ppid) return undefined
  const [, account] = /\/user@(\d+)\.service\//.exec(surveyed?.cgroup ?? '') ?? []
  if (account !== undefined)
    return {
      words: `the user unit ${unit}`,
      fields: {},
      unmanageable: `it is a unit of the systemd of user ${account}, and converge manages units of the system`,
    }
  const origin = { words: `the unit ${unit}`, fields: { unit: unit.replace(/\.service$/, '') } }
  return unit.includes('@') ? { ...origin, unmanageable: 'it is an instance of a template' } : origin
}
