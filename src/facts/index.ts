import { accounts } from './accounts.ts'
import { applied } from './applied.ts'
import { caffeinates } from './caffeinates.ts'
import { containers } from './containers.ts'
import { daemons } from './daemons.ts'
import { definitions } from './definitions.ts'
import { disks } from './disks.ts'
import { downloads } from './downloads.ts'
import { executables } from './executables.ts'
import type { SectionScript } from './fact.ts'
import { fetches } from './fetches.ts'
import { journal } from './journal.ts'
import { keyFiles } from './key-files.ts'
import { launchd } from './launchd.ts'
import { layout } from './layout.ts'
import { leftovers } from './leftovers.ts'
import { listeners } from './listeners.ts'
import { lock } from './lock.ts'
import { memory } from './memory.ts'
import { models } from './models.ts'
import { platform } from './platform.ts'
import { power } from './power.ts'
import { residents } from './residents.ts'
import { rollbackTimers } from './rollback-timers.ts'
import { rotatedLogs } from './rotated-logs.ts'
import { systemd } from './systemd.ts'

/**
 * Every fact the probe gathers, by its field in `HostFacts`, in probe order: what cannot hang comes first, so that a host that hangs
 * later has already reported the rest.
 */
export const facts = {
  platform,
  layout,
  memory,
  listeners,
  residents,
  downloads,
  caffeinates,
  applied,
  lock,
  journal,
  rollbackTimers,
  systemd,
  power,
  rotatedLogs,
  launchd,
  daemons,
  containers,
  definitions,
  keyFiles,
  leftovers,
  disks,
  models,
  fetches,
  executables,
  accounts,
} as const

/** The sections of the probe, without duplicates: facts may share one. */
export const sections: readonly SectionScript[] = [...new Set<SectionScript>(Object.values(facts).map((fact) => fact.section))]
