import type { Service } from '../../model/fleet.ts'
import { compareDefinition } from '../compare-definition.ts'
import { restartUnless } from '../compare-fields.ts'
import { askedKeyFile } from '../key-file.ts'
import type { Manager, ManagerQuestion } from '../manager.ts'
import { compileCompose } from './compile.ts'
import { concerns } from './concerns.ts'
import { renderCompose, writeFault } from './definition.ts'
import { composeFields, readerFor } from './fields.ts'
import { containerNames, nameOf } from './names.ts'
import { observeCompose } from './observe.ts'
import { originOf } from './origin.ts'
import { compareRunningCompose } from './running.ts'
import { askedDefinition } from './seen.ts'
import { supervisorOf } from './supervisor.ts'

/** Containers under Docker Compose: docker-compose 1.29 and every v2. One project with one container per service. */
export const compose: Manager = {
  name: 'compose',
  platforms: ['linux'],
  isContainer: true,
  needsRoot: false,
  needsSession: false,
  rereads: false,
  loadingStarts: false,
  ownFields: ['image', 'file', 'file_service', 'project', 'container'],
  faults: {},
  // The rule ENGINE.MISSING reports it.
  isMissing: () => false,
  supervisor: supervisorOf,
  nameOf,
  originOf,
  asks,
  render: renderCompose,
  observe: observeCompose,
  compareRunning: compareRunningCompose,
  // The engine reads all settings of a container when it creates it.
  compareDefinitions: (from, to, service) =>
    compareDefinition(readerFor(from, service), from, to, restartUnless('stop_grace_period', service.kind)),
  fields: composeFields,
  concerns,
  // The file of converge is its own in any case.
  mayAdopt: ({ file }) => file !== undefined,
  writeFault,
  compile: compileCompose,
}

function asks(service: Service): ManagerQuestion {
  return {
    definitions: [askedDefinition(service)],
    keyFiles: [askedKeyFile(service)],
    units: [],
    containers: containerNames(service),
    images: service.image === undefined ? [] : [service.image],
    executables: [],
  }
}
