import { managers } from '../managers/index.ts'
import type { FleetSettings } from '../model/fleet.ts'
import type { ManagerName, Platform, ServerKindName } from '../model/names.ts'
import { serverKinds } from '../servers/index.ts'

/** The defaults. The schema documents them too; a test compares the two. */

export const defaultSettings = {
  org: 'local',
  ports: { min: 9990, reserved: [9999, 11434] },
  headroomGb: 8,
  smallRamGb: 32,
} as const satisfies FleetSettings

/** Used if the inventory states no platform. */
export const assumedPlatform: Platform = 'linux'

export const serviceDefaults = {
  state: 'running',
  bind: '0.0.0.0',
  jinja: true,
  keyDelivery: 'file',
  envPrefix: 'SRV',
  noBrowser: true,
  stopTimeoutS: 60,
  keepAwake: false,
} as const

export function defaultManager(platform: Platform, kind: ServerKindName): ManagerName {
  return serverKinds[kind].defaults.manager[platform]
}

/** Tokens. */
export function defaultContext(platform: Platform, kind: ServerKindName): number {
  return serverKinds[kind].defaults.context[platform]
}

export function defaultImage(manager: ManagerName, kind: ServerKindName): string | undefined {
  return managers[manager].isContainer ? serverKinds[kind].defaults.image : undefined
}

export function defaultInterpreter(kind: ServerKindName): string | undefined {
  return serverKinds[kind].defaults.interpreter
}

/** Seconds. */
export function defaultTimeouts(kind: ServerKindName): { readonly readyS: number; readonly completionS: number } {
  return serverKinds[kind].defaults
}
