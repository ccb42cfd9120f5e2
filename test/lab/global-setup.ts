import type { TestProject } from 'vitest/node'
import { startLab } from './hosts.ts'
import { NoEngineError } from './images.ts'
import type { LabContext } from './lab-hosts.ts'

/** Starts the standard hosts once for the whole `lab` project; without an engine its tests are skipped, in CI they fail. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  try {
    const lab = await startLab()
    hand(project, { hosts: lab.coordinates })
    return () => lab.stop()
  } catch (error) {
    if (!(error instanceof NoEngineError) || process.env['CI']) throw error
    process.stderr.write(`\nlab: tests that need a Linux host (test/lab) do not run: ${error.message}\n\n`)
    hand(project, { unavailable: error.message })
    return async () => undefined
  }
}

function hand(project: TestProject, context: LabContext): void {
  project.provide('lab', context)
}
