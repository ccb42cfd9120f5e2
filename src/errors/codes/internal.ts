import type { CatalogueEntry } from './entry.ts'

export const internalCodes = {
  'INTERNAL.HOST': {
    exit: 1,
    title: 'a bug in converge, on one host',
    explain:
      'converge itself failed while it was at work on one host: when it looked at it, planned it, acted on it or told of it. That is a bug and no ' +
      'fault of the inventory. The host is left alone from there on, the others go on, and the report tells what was done. Where steps were sent to ' +
      'the host, `converge plan` looks at how they left it. Please report the bug with the command and the lines of the message.',
  },
} as const satisfies Record<string, CatalogueEntry>
