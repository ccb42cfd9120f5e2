import { docker } from './docker.ts'

/** Everything the lab creates carries the process that created it, since no reaper image can be pulled. */
export const OWNER_LABEL = 'converge.lab.owner'

const LISTED = ['--filter', `label=${OWNER_LABEL}`, '--format', `{{.ID}} {{.Label "${OWNER_LABEL}"}}`]

/** Removes what runs that ended without their teardown left behind; labs that are in use stay. */
export async function sweepLeftovers(): Promise<void> {
  const containers = orphans(await docker(['ps', '--all', ...LISTED]))
  if (containers.length > 0) await docker(['rm', '--force', '--volumes', ...containers])
  const networks = orphans(await docker(['network', 'ls', ...LISTED]))
  if (networks.length > 0) await docker(['network', 'rm', ...networks])
}

function orphans(listing: string): string[] {
  const rows = listing.split('\n').filter(Boolean)
  return rows.map((row) => row.split(' ')).flatMap(([id, owner]) => (id && !isAlive(Number(owner)) ? [id] : []))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
