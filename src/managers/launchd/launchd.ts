import type { Service } from '../../model/fleet.ts'
import { compareDefinition } from '../compare-definition.ts'
import { restartUnless } from '../compare-fields.ts'
import { askedKeyFile } from '../key-file.ts'
import type { Manager, ManagerQuestion } from '../manager.ts'
import { compileAgent } from './compile.ts'
import { concerns } from './concerns.ts'
import { askedPlist, labelOf, logPath, renderAgent } from './definition.ts'
import { domainOf, otherDomain } from './domain.ts'
import { plistFields } from './fields.ts'
import { observeAgent } from './observe.ts'
import { originOf } from './origin.ts'
import { compareRunningAgent } from './running.ts'
import { supervisorOf } from './supervisor.ts'

/** macOS 10.11 and newer: agents in the gui domain of the login account, and daemons in the domain of the system. */
export const launchd: Manager = {
  name: 'launchd',
  platforms: ['macos'],
  isContainer: false,
  needsRoot: false,
  needsSession: true,
  rereads: false,
  loadingStarts: true,
  ownFields: ['user', 'domain', 'label', 'keep_awake'],
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
    // The one in the other domain must not stay behind.
    definitions: [askedPlist(service, org), askedPlist(service, org, otherDomain[domainOf(service)])],
    keyFiles: [askedKeyFile(service)],
    units: [],
    containers: [],
    images: [],
    executables: [executable, interpreter].filter((path) => path !== undefined),
    ...accountAsked(service),
  }
}

/** An agent runs as the login account, whose access the probe itself has. */
function accountAsked({ domain, user, model, executable, interpreter }: Service): Pick<ManagerQuestion, 'account'> {
  if (domain !== 'system') return {}
  const [program, script] = interpreter === undefined ? [executable] : [interpreter, executable]
  return { account: { account: user ?? '', reads: given([model.path, script]), runs: given([program]) } }
}

function given(paths: readonly (string | undefined)[]): readonly string[] {
  return paths.filter((path) => path !== undefined)
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
