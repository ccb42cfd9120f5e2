import type { Service } from '../../model/fleet.ts'
import { compareDefinition } from '../compare-definition.ts'
import { restartUnless } from '../compare-fields.ts'
import { askedKeyFile } from '../key-file.ts'
import type { Manager, ManagerQuestion } from '../manager.ts'
import { compileAgent } from './compile.ts'
import { concerns } from './concerns.ts'
import { askedPlist, labelOf, logPath, renderAgent } from './definition.ts'
import { plistFields } from './fields.ts'
import { observeAgent } from './observe.ts'
import { originOf } from './origin.ts'
import { compareRunningAgent } from './running.ts'
import { supervisorOf } from './supervisor.ts'

/** Per-user agents of macOS 10.11 and newer, in the gui domain of the login account. */
export const launchd: Manager = {
  name: 'launchd',
  platforms: ['macos'],
  isContainer: false,
  needsRoot: false,
  needsSession: true,
  rereads: false,
  loadingStarts: true,
  ownFields: ['label', 'keep_awake'],
  faults: { name: nameFault, argument: argumentFault },
  isMissing: () => false,
  supervisor: supervisorOf,
  logFile: logPath,
  nameOf: labelOf,
  originOf,
  asks,
  render: renderAgent,
  observe: observeAgent,
  compareRunning: compareRunningAgent,
  // launchd reads a definition once, when it is loaded.
  compareDefinitions: (from, to, { kind }) => compareDefinition(plistFields, from, to, restartUnless('ExitTimeOut', kind)),
  fields: plistFields,
  concerns,
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

/** The ownership label is in a comment of the property list, which two consecutive hyphens would end. */
function nameFault(name: string): string | undefined {
  return name.includes('--') ? 'has two consecutive hyphens, which its definition cannot contain' : undefined
}

/** macOS does not show empty arguments of a process or job: each apply would restart it. */
function argumentFault(word: string): string | undefined {
  return word.trim() === ''
    ? 'is empty. macOS does not show whether a running server has an empty argument. Remove it, with its flag'
    : undefined
}
