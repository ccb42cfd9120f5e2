/** The program that actually runs, without interpreter, loader and login dash. */
export interface Invocation {
  /** Its path as called. */
  readonly path: string
  /** Last part of the path. */
  readonly base: string
  readonly args: readonly string[]
  /** Base name of the interpreter; absent: it needs none. */
  readonly interpreter?: string
}

const interpreters = /^(python[\d.]*|pypy[\d.]*|node|bun|deno|ruby|perl|ld-[\w.-]*|qemu-[\w-]+|box64)$/i

/** Whether a program of this name runs others, which its arguments identify. */
export function isInterpreter(base: string): boolean {
  return interpreters.test(base)
}

/**
 * The running program counts, not one named in its arguments: an editor, a grep, an ssh or a shell with a server's name among its arguments
 * is itself. An interpreter stands for its script (`python3 -m MODULE` for the module).
 */
export function invocationOf(argv: readonly string[]): Invocation {
  const [first = '', ...rest] = argv
  const base = baseName(first.replace(/^-/, ''))
  if (!isInterpreter(base)) return { path: first, base, args: rest }
  const at = rest.findIndex((arg) => !arg.startsWith('-') || arg === '-m' || arg === '-c')
  const script = rest[at]
  if (script === undefined || script === '-c') return { path: first, base, args: rest }
  if (script !== '-m') return { path: script, base: baseName(script), args: rest.slice(at + 1), interpreter: base }
  const module = rest[at + 1] ?? ''
  return { path: module, base: module, args: rest.slice(at + 2), interpreter: base }
}

/** Last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
