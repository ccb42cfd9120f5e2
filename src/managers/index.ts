import type { ManagerName } from '../model/names.ts'
import { compose } from './compose/compose.ts'
import { launchd } from './launchd/launchd.ts'
import type { Manager } from './manager.ts'
import { systemd } from './systemd/systemd.ts'

/** Every manager this version has. */
export const managers: readonly Manager[] = [compose, systemd, launchd]

/** Undefined: this version has none of that name. */
export const managerFor = (name: ManagerName): Manager | undefined => managers.find((manager) => manager.name === name)
