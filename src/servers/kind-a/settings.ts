import { modelPath, singleName, text, wholeNumber } from '../readings.ts'
import type { Reading, Setting } from '../setting.ts'

/**
 * Names from llama.cpp's server README and `common/arg.cpp`. The default port is not the same in all builds (8080, later 9931), and neither are
 * context size and templates.
 */
export const settings: readonly Setting[] = [
  { field: 'host', flags: ['--host'], variable: 'LLAMA_ARG_HOST', read: address, always: true, ownDefault: '127.0.0.1' },
  { field: 'port', flags: ['--port'], variable: 'LLAMA_ARG_PORT', read: wholeNumber(1, 65_535), always: true },
  { field: 'model', flags: ['--model', '-m'], variable: 'LLAMA_ARG_MODEL', read: modelPath, once: true },
  { field: 'alias', flags: ['--alias', '-a'], variable: 'LLAMA_ARG_ALIAS', read: singleName, always: true },
  { field: 'ctx_size', flags: ['--ctx-size', '-c'], variable: 'LLAMA_ARG_CTX_SIZE', read: wholeNumber(1), always: true },
  { field: 'threads', flags: ['--threads', '-t'], variable: 'LLAMA_ARG_THREADS', read: wholeNumber(1) },
  {
    field: 'n_gpu_layers',
    flags: ['--n-gpu-layers', '-ngl', '--gpu-layers'],
    variable: 'LLAMA_ARG_N_GPU_LAYERS',
    harmless: 'everywhere',
    read: wholeNumber(0),
    keeps: /^(?:auto|all|-\d+)$/,
  },
  {
    field: 'jinja',
    flags: ['--jinja', '--no-jinja'],
    variable: 'LLAMA_ARG_JINJA',
    harmless: 'everywhere',
    switches: { '--jinja': true, '--no-jinja': false },
    read: truth,
    always: true,
  },
  { field: 'api_key', flags: ['--api-key-file'], variable: 'LLAMA_ARG_API_KEY_FILE', key: 'path', read: text },
  { field: 'api_key', flags: ['--api-key'], variable: 'LLAMA_API_KEY', harmless: 'everywhere', key: 'key', read: text },
]

/** The program reads `_` in a long flag as `-`. */
export function spelling(flag: string): string {
  return flag.startsWith('--') ? flag.replaceAll('_', '-') : flag
}

/** A server on a socket has no port. */
function address(value: string): Reading {
  return value.endsWith('.sock') ? { why: 'the server listens on a UNIX socket, and a service has a port' } : text(value)
}

/** Truth values as the program reads them in variables. */
export const truths: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'on', 'enabled', 'true'].map((word) => [word, true] as const),
  ...['0', 'off', 'disabled', 'false'].map((word) => [word, false] as const),
])

function truth(value: string): Reading {
  const read = truths.get(value)
  return read === undefined ? { why: 'it is neither true nor false' } : { value: read }
}
