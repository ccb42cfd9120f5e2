import type { CatalogueEntry } from './entry.ts'

export const pruneCodes = {
  'PRUNE.IN_DOUBT': {
    exit: 5,
    title: 'whether everything was removed is not known',
    explain:
      'The host was told which files to remove, and did not tell what came of each: the connection broke, or the command was ended. Each file was removed only if it was exactly as it had been shown, so nothing else is gone. `converge prune --check` shows what is left; running `converge prune` again finishes it.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>
