import type { CatalogueEntry } from './entry.ts'

export const applyCodes = {} as const satisfies Record<string, CatalogueEntry>
