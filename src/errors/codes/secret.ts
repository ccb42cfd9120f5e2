import type { CatalogueEntry } from './entry.ts'

export const secretCodes = {} as const satisfies Record<string, CatalogueEntry>
