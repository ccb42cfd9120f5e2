import { inject } from 'vitest'
import { attach, type HostCoordinates, type LabHost } from './host.ts'

/** What the global setup hands to the tests. */
export type LabContext = { readonly hosts: readonly HostCoordinates[] } | { readonly unavailable: string }

declare module 'vitest' {
  interface ProvidedContext {
    lab: LabContext
  }
}

/** For `describe.skipIf(noLab)`: this machine has no container engine. */
export const noLab = 'unavailable' in inject('lab')

/** A host of the lab that runs for all tests; a test that breaks a host starts its own with `startLab`. */
export function labHost(name: string): LabHost {
  const context = inject('lab')
  const found = 'hosts' in context ? context.hosts.find((host) => host.name === name) : undefined
  if (found === undefined) throw new Error(`the lab has no host ${name}`)
  return attach(found)
}
