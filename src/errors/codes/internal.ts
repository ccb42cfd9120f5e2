import type { CatalogueEntry } from './entry.ts'

export const internalCodes = {
  'INTERNAL.HOST': {
    exit: 1,
    title: 'a bug in converge, on one host',
    explain:
      'converge itself failed while it gathered facts of one host, planned it, changed it or reported on it. This is a bug, not a mistake in the ' +
      'inventory. converge does nothing more on that host; the others continue, and the report says what was done. If steps were sent to the ' +
      'host, `converge plan` shows the state they left. Please report the bug with the command and the lines of the message.',
  },
} as const satisfies Record<string, CatalogueEntry>
