import type { CatalogueEntry } from './entry.ts'

export const factsCodes = {} as const satisfies Record<string, CatalogueEntry>
