import { resolve } from 'node:path'

/** The built command line, which starts three times as fast; `CONVERGE_E2E=src/main.ts` takes the sources, or any other form of the program. */
export const program = resolve(import.meta.dirname, '../..', process.env['CONVERGE_E2E'] ?? 'dist/main.js')

/** What starts it with this Node; `CONVERGE_E2E=build/converge` is a single binary, which needs none. */
export const startedBy = (node: string): readonly string[] => (/\.[jt]s$/.test(program) ? [node, program] : [program])
