import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathOf } from './tool-socket.ts'

/**
 * The words by which a shell becomes a program of the simulation, named from this folder. From the sources, Node keeps its JavaScript in the
 * temporary folder: it takes longer to turn the TypeScript into that than to start. A bundle is JavaScript.
 */
export function becomes(file: string): string {
  const path = pathOf(file)
  const kept = path.endsWith('.ts') ? `NODE_COMPILE_CACHE='${join(tmpdir(), 'node-compile-cache')}' ` : ''
  return `${kept}exec '${process.execPath}' '${path}'`
}
