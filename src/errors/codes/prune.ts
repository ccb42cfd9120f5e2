import type { CatalogueEntry } from './entry.ts'

export const pruneCodes = {
  'PRUNE.IN_DOUBT': {
    exit: 5,
    title: 'unknown whether all files were removed',
    explain:
      'converge sent the host the list of files to remove, and did not receive the result for each. The connection broke, or the command was ended. The host removes a file only if it is exactly as it was shown, so nothing else was removed. `converge prune --check` shows what is left; run `converge prune` again to finish.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>
