import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { docker, tryDocker } from './docker.ts'

/** Everything the lab creates carries the process that created it, since no reaper image can be pulled. */
export const OWNER_LABEL = 'converge.lab.owner'

/** A run's directory and network are called this and the process that owns them. */
export const RUN_PREFIX = 'converge-lab-'

const LISTED = ['--filter', `label=${OWNER_LABEL}`, '--format', `{{.ID}} {{.Label "${OWNER_LABEL}"}}`]

/** Removes what runs that ended without their teardown left behind; labs that are in use stay. Another run may be removing the same. */
export async function sweepLeftovers(): Promise<void> {
  const containers = orphans(await docker(['ps', '--all', ...LISTED]))
  if (containers.length > 0) await tryDocker(['rm', '--force', '--volumes', ...containers])
  const networks = orphans(await docker(['network', 'ls', ...LISTED]))
  if (networks.length > 0) await tryDocker(['network', 'rm', ...networks])
  const directories = (await readdir(tmpdir())).filter((name) => name.startsWith(RUN_PREFIX))
  const abandoned = directories.filter((name) => !isAlive(Number(name.slice(RUN_PREFIX.length).split('-')[0])))
  await Promise.all(abandoned.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true })))
}

function orphans(listing: string): string[] {
  const rows = listing.split('\n').filter(Boolean)
  return rows.map((row) => row.split(' ')).flatMap(([id, owner]) => (id && !isAlive(Number(owner)) ? [id] : []))
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
