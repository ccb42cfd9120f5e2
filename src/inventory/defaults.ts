import type { FleetSettings } from '../model/fleet.ts'
import type { ManagerName, Platform, ServerKindName } from '../model/names.ts'

/** What holds where the inventory says nothing. The schema tells people the same; a test compares the two. */

export const defaultSettings = {
  org: 'local',
  ports: { min: 9990, reserved: [9999, 11434] },
  headroomGb: 8,
  smallRamGb: 32,
} as const satisfies FleetSettings

/** Taken where the inventory names no platform. */
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

const imageOfKindA = 'ghcr.io/ggml-org/llama.cpp:server'
const interpreterOfKindB = '/usr/bin/python3'

export function defaultManager(platform: Platform, kind: ServerKindName): ManagerName {
  if (platform === 'macos') return 'launchd'
  return kind === 'A' ? 'compose' : 'systemd'
}

/** Tokens; section 8 of the specification has one figure per template. */
export function defaultContext(platform: Platform, kind: ServerKindName): number {
  if (kind === 'B') return 16_384
  return platform === 'macos' ? 65_536 : 262_144
}

export function defaultImage(manager: ManagerName, kind: ServerKindName): string | undefined {
  return manager === 'compose' && kind === 'A' ? imageOfKindA : undefined
}

export function defaultInterpreter(kind: ServerKindName): string | undefined {
  return kind === 'B' ? interpreterOfKindB : undefined
}

/** Seconds: Kind A loads in minutes at worst; the first generation of Kind B can take an hour. */
export function defaultTimeouts(kind: ServerKindName): { readonly readyS: number; readonly completionS: number } {
  return kind === 'A' ? { readyS: 600, completionS: 120 } : { readyS: 3600, completionS: 3600 }
}
