import { resolve } from 'node:path'

/** The built command line, which starts three times as fast; `CONVERGE_E2E=src/main.ts` takes the sources, or any other form of the program. */
export const program = resolve(import.meta.dirname, '../..', process.env['CONVERGE_E2E'] ?? 'dist/main.js')
