import { baseName, isInterpreter } from '../invocation.ts'
import type { Recognition } from '../recognition.ts'

/**
 * The front, `[INTERPRETER] EXECUTABLE serve …`. A front that the inventory does not name is recognised by its shape: a Python script with
 * `--host` and `--port` and a worker process from its own folder.
 */
export const recognition: Recognition = {
  hasEngine: true,
  comesWithOthers: false,
  isServer({ invocation: { path, args, interpreter }, isNamed, isRunner, children }) {
    if (args[0] !== 'serve') return false
    if (isNamed) return true
    if (interpreter === undefined || !/^python/i.test(interpreter)) return false
    if (!args.includes('--host') || !args.includes('--port')) return false
    return !isRunner() && children().some(([program = '']) => isEngine(program, path))
  },
  isKnownByName: () => false,
  programName: ({ base }) => base,
}

function isEngine(program: string, front: string): boolean {
  const folder = front.slice(0, front.lastIndexOf('/') + 1)
  return folder !== '' && program.startsWith(folder) && !isInterpreter(baseName(program))
}
