import { posix } from 'node:path'
import { stableJson } from '../lib/stable-json.ts'
import type { AppliedRecord } from '../model/applied-record.ts'
import { bookkeepingLabels } from '../model/bookkeeping.ts'
import type { Step } from '../model/step.ts'

/** The step that writes the record of a service on its host. `root`: converge's folder there, absolute. */
export function recordStep(root: string, record: AppliedRecord): Step {
  return {
    do: 'put',
    label: bookkeepingLabels.writeRecord(record.service),
    record: 'write',
    guards: [],
    path: recordPath(root, record.service),
    content: [`${stableJson(record, 2)}\n`],
    mode: 0o644,
    folderMode: 0o755,
  }
}

/** The step that deletes the record of a removed service. */
export function forgetStep(root: string, service: string): Step {
  return {
    do: 'delete',
    label: bookkeepingLabels.forgetRecord(service),
    record: 'forget',
    guards: [],
    path: recordPath(root, service),
  }
}

function recordPath(root: string, service: string): string {
  return posix.join(root, 'applied', `${service}.json`)
}
