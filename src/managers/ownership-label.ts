import type { RenderInput } from './manager.ts'

/** Identifies the owner of a definition: `com.<org>.<service>`. */
export function ownershipLabelOf(org: string, service: string): string {
  return `com.${org}.${service}`
}

/** The header of every definition, without the format's comment sign. The probe looks for the first line. */
export function ownershipLines({ service, settings }: RenderInput): readonly string[] {
  return [
    `converge: managed ${ownershipLabelOf(settings.org, service.name)}`,
    `The model server ${service.name} (kind ${service.kind}). Written from the inventory: what is edited here by hand is`,
    'overwritten by the next `converge apply`, and the plan before it shows the difference.',
  ]
}
