import type { CatalogueEntry } from './entry.ts'

export const usageCodes = {
  'USAGE.FLAG': {
    exit: 64,
    title: 'a flag or argument is wrong',
    explain: 'The command line could not be understood. `converge VERB --help` lists what the verb takes.',
  },
} as const satisfies Record<string, CatalogueEntry>
