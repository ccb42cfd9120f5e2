import type { CatalogueEntry } from './entry.ts'

export const stateCodes = {
  'STATE.UNUSABLE': {
    exit: 64,
    title: 'the folder for journals and locks on this machine cannot be used',
    explain:
      'Before anything is changed on a host, converge writes down on the controlling machine what it is about to do, so that a run that dies can be taken up again, and takes a lock there, so that two runs of one inventory do not meet. The folder is `$CONVERGE_STATE_DIR`, else the usual place of the system (`~/.local/state/converge`). It could not be made, belongs to somebody else, may be written by others, or its disk is full. Nothing was done. `plan`, `facts`, `status` and `verify` do not need it.',
  },
} as const satisfies Record<string, CatalogueEntry>
