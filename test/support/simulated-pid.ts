import { digestOf } from '../../src/lib/digest.ts'
import type { Service } from '../../src/model/fleet.ts'

/** The same for every state of a service, so that a test can name it. */
export function pidOf({ name }: Pick<Service, 'name'>): number {
  return 1000 + (Number.parseInt(digestOf(name).slice(0, 6), 16) % 60_000)
}
