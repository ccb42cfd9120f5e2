import type { ManagerName } from '../model/names.ts'
import { compose } from './compose/compose.ts'
import { launchd } from './launchd/launchd.ts'
import type { Manager } from './manager.ts'
import { systemd } from './systemd/systemd.ts'

/** Every manager by name. */
export const managers: Readonly<Record<ManagerName, Manager>> = { launchd, compose, systemd }
