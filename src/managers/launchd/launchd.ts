import type { Service } from '../../model/fleet.ts'
import { compareDefinition } from '../compare-definition.ts'
import { restartOf } from '../compare-fields.ts'
import { askedKeyFile } from '../key-file.ts'
import type { Manager, ManagerQuestion } from '../manager.ts'
import { compileAgent } from './compile.ts'
import { askedPlist, logPath, renderAgent } from './definition.ts'
import { plistFields } from './fields.ts'
import { observeAgent } from './observe.ts'
import { compareRunningAgent } from './running.ts'
import { supervisorOf } from './supervisor.ts'

/** Per-user agents of macOS 10.11 and newer, in the domain of the account that sits at the screen. */
export const launchd: Manager = {
  name: 'launchd',
  platforms: ['macos'],
  isContainer: false,
  needsRoot: false,
  needsSession: true,
  rereads: false,
  loadingStarts: true,
  ownFields: ['keep_awake'],
  faults: { name: nameFault, argument: argumentFault },
  isMissing: () => false,
  supervisor: supervisorOf,
  logFile: logPath,
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

/** The mark that tells an agent as ours is a comment of a property list, which two hyphens in a row would end. */
function nameFault(name: string): string | undefined {
  return name.includes('--') ? 'has two hyphens in a row, which its definition cannot hold' : undefined
}

/** macOS shows the arguments of a process and of a job in a way in which an empty one leaves no trace: each apply would restart it. */
function argumentFault(word: string): string | undefined {
  return word.trim() === ''
    ? 'is empty. macOS does not tell whether a running server was given it, so it cannot be told whether it is as wanted. Leave it out, with the flag that it belongs to'
    : undefined
}
