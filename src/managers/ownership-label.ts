import type { RenderInput } from './manager.ts'

/** What a definition carries so that everyone can tell whose it is: `com.<org>.<service>`. */
export function ownershipLabelOf(org: string, service: string): string {
  return `com.${org}.${service}`
}

/** The first lines of every definition, without the format's comment sign. The probe looks for the first one. */
export function ownershipLines({ service, settings }: RenderInput): readonly string[] {
  return [
    `converge: managed ${ownershipLabelOf(settings.org, service.name)}`,
    `The model server ${service.name} (kind ${service.kind}). Written from the inventory: what is edited here by hand is`,
    'overwritten by the next `converge apply`, and the plan before it shows the difference.',
  ]
}
