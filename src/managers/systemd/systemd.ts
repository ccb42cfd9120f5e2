import type { Service } from '../../model/fleet.ts'
import { compareDefinition } from '../compare-definition.ts'
import { restartOf } from '../compare-fields.ts'
import { askedKeyFile } from '../key-file.ts'
import type { Manager, ManagerQuestion } from '../manager.ts'
import { compileUnit } from './compile.ts'
import { concerns } from './concerns.ts'
import { renderUnit, unitName, unitPath } from './definition.ts'
import { unitEffect, unitFields } from './fields.ts'
import { observeUnit } from './observe.ts'
import { originOf } from './origin.ts'
import { compareRunningUnit } from './running.ts'
import { supervisorOf } from './supervisor.ts'
import { programFault } from './unit-text.ts'

/** System units under systemd 240 and newer. */
export const systemd: Manager = {
  name: 'systemd',
  platforms: ['linux'],
  isContainer: false,
  needsRoot: true,
  needsSession: false,
  rereads: true,
  loadingStarts: false,
  ownFields: ['user', 'unit'],
  faults: { program: programFault },
  isMissing: (facts) => facts.systemd.known && facts.systemd.value.version === null,
  supervisor: supervisorOf,
  nameOf: unitName,
  originOf,
  asks,
  render: renderUnit,
  observe: observeUnit,
  compareRunning: compareRunningUnit,
  compareDefinitions: (from, to, { kind }) => compareDefinition(unitFields, from, to, unitEffect(restartOf(kind))),
  fields: unitFields,
  concerns,
  compile: compileUnit,
}

function asks(service: Service): ManagerQuestion {
  const { executable, interpreter } = service
  return {
    definitions: [unitPath(service)],
    keyFiles: [askedKeyFile(service)],
    units: [unitName(service)],
    containers: [],
    images: [],
    executables: [executable, interpreter].filter((path) => path !== undefined),
  }
}
