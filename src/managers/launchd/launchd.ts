import type { Service } from '../../model/fleet.ts'
import { compareDefinition } from '../compare-definition.ts'
import { restartOf } from '../compare-fields.ts'
import { askedKeyFile } from '../key-file.ts'
import type { Manager, ManagerQuestion } from '../manager.ts'
import { compileAgent } from './compile.ts'
import { askedPlist, renderAgent } from './definition.ts'
import { plistFields } from './fields.ts'
import { observeAgent } from './observe.ts'
import { compareRunningAgent } from './running.ts'

/** Per-user agents of macOS 10.11 and newer, in the domain of the account that sits at the screen. */
export const launchd: Manager = {
  name: 'launchd',
  platforms: ['macos'],
  loadingStarts: true,
  asks,
  render: renderAgent,
  observe: observeAgent,
  compareRunning: compareRunningAgent,
  // launchd reads a definition once, when it is loaded.
  compareDefinitions: (from, to, kind) => compareDefinition(plistFields, from, to, () => restartOf(kind)),
  fields: plistFields,
  compile: compileAgent,
}

function asks(service: Service, org: string): ManagerQuestion {
  const { executable, interpreter } = service
  return {
    definitions: [askedPlist(service, org)],
    keyFiles: [askedKeyFile(service)],
    units: [],
    containers: [],
    images: [],
    executables: [executable, interpreter].filter((path) => path !== undefined),
  }
}
