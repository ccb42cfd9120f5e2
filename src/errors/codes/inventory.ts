import type { CatalogueEntry } from './entry.ts'

export const inventoryCodes = {} as const satisfies Record<string, CatalogueEntry>
