import type { Service } from '../model/fleet.ts'
import type { LaunchdDomain, ManagerName, Platform } from '../model/names.ts'
import { managers } from './index.ts'
import type { OwnField } from './manager.ts'

/** Whether a server runs in a container: from an image, with its own files and network. */
export function inContainer({ manager }: Pick<Service, 'manager'>): boolean {
  return managers[manager].isContainer
}

/** The manager for a program of the host itself. */
export function containerless(platform: Platform): ManagerName | undefined {
  return Object.values(managers).find(({ isContainer, platforms }) => !isContainer && platforms.includes(platform))?.name
}

/** Whether a manager is for macOS. */
export function isOfMacs(manager: ManagerName): boolean {
  return managers[manager].platforms.includes('macos')
}

/** Whether a field of the inventory has an effect under a manager. */
export function hasField(manager: ManagerName, field: OwnField): boolean {
  return managers[manager].ownFields.includes(field)
}

/** Whether a service may run as another account than the one that connects: agents of a login may not. */
export function hasOwnAccount(manager: ManagerName, { domain }: { readonly domain?: LaunchdDomain | undefined }): boolean {
  return hasField(manager, 'user') && (!hasField(manager, 'domain') || domain === 'system')
}

/** Whether changing the service needs root. */
export function needsRoot({ manager, domain }: Pick<Service, 'manager' | 'domain'>): boolean {
  return managers[manager].needsRoot || domain === 'system'
}

/** Whether its server runs in the session of the account that is logged in at the screen. */
export function needsSession({ manager, domain }: Pick<Service, 'manager' | 'domain'>): boolean {
  return managers[manager].needsSession && domain !== 'system'
}

/** The managers under which a field has an effect, for people. */
export function managersWith(field: OwnField): string {
  return Object.values(managers)
    .filter(({ ownFields }) => ownFields.includes(field))
    .map(({ name }) => name)
    .join(' and ')
}

/** Whether the value is the name of a manager. */
export function isManager(name: unknown): name is ManagerName {
  return typeof name === 'string' && Object.hasOwn(managers, name)
}
