import type { CatalogueEntry } from './entry.ts'

export const usageCodes = {
  'USAGE.FLAG': {
    exit: 64,
    title: 'a flag or argument is wrong',
    explain: 'The command line could not be understood. `converge VERB --help` lists what the verb takes.',
  },
  'USAGE.CODE': {
    exit: 64,
    title: 'there is no such code',
    explain: '`converge explain` knows the codes of refusals, warnings and errors; without an argument it lists them.',
  },
} as const satisfies Record<string, CatalogueEntry>
