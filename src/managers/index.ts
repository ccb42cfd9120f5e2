import type { ManagerName } from '../model/names.ts'
import { compose } from './compose/compose.ts'
import type { Manager } from './manager.ts'
import { systemd } from './systemd/systemd.ts'

/** Every manager this version has. */
export const managers: readonly Manager[] = [compose, systemd]

/** Undefined: there is none for it yet (launchd). */
export const managerFor = (name: ManagerName): Manager | undefined => managers.find((manager) => manager.name === name)
