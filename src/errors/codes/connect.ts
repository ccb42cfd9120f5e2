import type { CatalogueEntry } from './entry.ts'

export const connectCodes = {} as const satisfies Record<string, CatalogueEntry>
