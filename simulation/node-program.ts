import { join } from 'node:path'
import { pathOf } from './tool-socket.ts'

/**
 * The words by which a shell becomes a program of the simulation, named from this folder. From the sources, Node keeps its JavaScript: it takes longer
 * to turn the TypeScript into that than to start. A bundle is JavaScript.
 */
export function becomes(file: string): string {
  const path = pathOf(file)
  const kept = path.endsWith('.ts') ? `NODE_COMPILE_CACHE='${cache}' ` : ''
  return `${kept}exec '${process.execPath}' '${path}'`
}

/** In the checkout: in the temporary folder, another account could make the folder first, and its code would run. */
const cache = join(import.meta.dirname, '../node_modules/.cache/simulation')
