import type { TestProject } from 'vitest/node'
import { handHosts, orSkipped } from './global-setup.ts'
import { prepareImages } from './images.ts'

/** For tests that start all their hosts themselves: an engine and the images are there, and no host runs for all. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  return orSkipped(project, async () => {
    await prepareImages(['nas', 'box'])
    handHosts(project, [])
    return async () => undefined
  })
}
