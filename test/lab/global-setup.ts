import type { TestProject } from 'vitest/node'
import type { HostCoordinates } from './host.ts'
import { HOSTS_OF_TESTS, startLab } from './hosts.ts'
import { NoEngineError } from './images.ts'
import type { LabContext } from './lab-hosts.ts'

/** Starts the hosts of tests once for the whole `lab` project; without an engine its tests are skipped, in CI they fail. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  return orSkipped(project, async () => {
    const lab = await startLab(HOSTS_OF_TESTS)
    handHosts(project, lab.coordinates)
    return () => lab.stop()
  })
}

/** Resolves to what ends the lab again. */
export async function orSkipped(project: TestProject, start: () => Promise<() => Promise<void>>): Promise<() => Promise<void>> {
  try {
    return await start()
  } catch (error) {
    if (!(error instanceof NoEngineError) || process.env['CI']) throw error
    process.stderr.write(`\n${project.name}: tests that need a Linux host (test/lab) do not run: ${error.message}\n\n`)
    hand(project, { unavailable: error.message })
    return async () => undefined
  }
}

export function handHosts(project: TestProject, hosts: readonly HostCoordinates[]): void {
  hand(project, { hosts })
}

function hand(project: TestProject, context: LabContext): void {
  project.provide('lab', context)
}
