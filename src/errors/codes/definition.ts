import type { CatalogueEntry } from './entry.ts'

export const definitionCodes = {
  'DEFINITION.KEY': {
    exit: 65,
    title: 'a key contains a character that its file cannot carry',
    explain:
      'A key contains a line break or another control character. Or it contains a quote, a backslash or `${`, and belongs in the environment file of a container; versions of compose read these differently. If it were written, the server would get another key than the one you have. Choose a key of letters, digits, `-` and `_`, for example with `openssl rand -hex 32`.',
  },
} as const satisfies Record<string, CatalogueEntry>
