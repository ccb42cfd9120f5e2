import { baseName } from '../invocation.ts'
import type { Recognition } from '../recognition.ts'

/** `llama-server`, also renamed or unpacked, `llama serve`, and programs that the inventory names. */
export const recognition: Recognition = {
  hasEngine: false,
  comesWithOthers: true,
  isServer({ invocation: { base, args, interpreter }, isNamed }) {
    if (interpreter !== undefined && !/^(ld-|qemu-|box64)/.test(interpreter)) return false
    return isNamed || isLlamaName(base) || (base === 'llama' && args[0] === 'serve')
  },
  isKnownByName: (path) => isLlamaName(baseName(path)),
  programName: () => 'llama-server',
}

function isLlamaName(base: string): boolean {
  return /^llama-server([-.]|$)/.test(base)
}
