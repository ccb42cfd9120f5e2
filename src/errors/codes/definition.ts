import type { CatalogueEntry } from './entry.ts'

export const definitionCodes = {
  'DEFINITION.KEY': {
    exit: 65,
    title: 'a key cannot be written down',
    explain:
      'A key holds a character that the file it has to stand in cannot carry: a line break or another control character, or, in the environment file of a container, a quote, a backslash or `${`, which the generations of compose read differently. Written anyway, the server would get another key than the one you hold. Choose a key of letters, digits, `-` and `_`, for example with `openssl rand -hex 32`.',
  },
} as const satisfies Record<string, CatalogueEntry>
