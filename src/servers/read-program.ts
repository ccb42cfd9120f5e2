import { baseName, isInterpreter } from './invocation.ts'
import type { ReadBackProblem } from './read-back.ts'
import { absolutePath } from './readings.ts'

/** The program of a command line, and what follows it. */
export interface ProgramRead {
  readonly fields: Readonly<Record<string, string>>
  readonly problems: readonly ReadBackProblem[]
  /** Undefined: the line starts another program, so its words mean something else. */
  readonly args: readonly string[] | undefined
}

export interface ProgramOptions {
  /** Whether services of the kind have one. */
  readonly interpreter: 'always' | 'optional' | 'never'
  /** Whether the first word is an interpreter, whatever its name. */
  readonly isInterpreted?: boolean
  /** A first word that is no program: an image brings its own. */
  readonly own?: string
}

/** Programs besides interpreters that start another one, which their arguments name. */
const wrappers: ReadonlySet<string> = new Set(
  (
    'bash bwrap caffeinate chroot chrt dash doas docker dumb-init env firejail fish flock gdb ionice ksh nice nohup nsenter numactl podman ' +
    'prlimit proxychains4 runuser s6-setuidgid setarch setpriv setsid sh ssh stdbuf strace su sudo systemd-run taskset time timeout tini ' +
    'unshare uv uvx xvfb-run zsh'
  ).split(' '),
)

/** Reads the program and its interpreter from the start of a command line. */
export function readProgram(argv: readonly string[], { interpreter, isInterpreted = false, own }: ProgramOptions): ProgramRead {
  const [first, ...rest] = argv
  if (first === undefined) return joined([], [{ word: '', why: 'the command line is empty' }])
  if (first === own) return joined([], [], argv)
  const base = baseName(first.replace(/^-/, ''))
  if (wrappers.has(base) && !isInterpreted) return joined([], [{ word: first, why: 'it starts another program' }])
  if (!isInterpreted && !isInterpreter(base)) {
    const missing = { word: first, why: 'the server has no interpreter', field: 'interpreter' }
    return joined([pathField('executable', first)], interpreter === 'always' ? [missing] : [], rest)
  }
  if (interpreter === 'never') return joined([], [{ word: first, why: 'services of this kind have no interpreter' }])
  const [script = '', ...args] = rest
  // Options may have values, so the script behind them is unknown.
  if (script.startsWith('-'))
    return joined([pathField('interpreter', first)], [{ word: script, why: 'no field has options of the interpreter' }])
  return joined([pathField('interpreter', first), pathField('executable', script)], [], args)
}

interface PathRead {
  readonly field: readonly (readonly [name: string, path: string])[]
  readonly problems: readonly ReadBackProblem[]
}

function pathField(name: string, path: string): PathRead {
  const read = absolutePath(path)
  if ('why' in read) return { field: [], problems: [{ word: path, why: read.why, field: name }] }
  return { field: [[name, path]], problems: [] }
}

function joined(paths: readonly PathRead[], problems: readonly ReadBackProblem[], args?: readonly string[]): ProgramRead {
  return {
    fields: Object.fromEntries(paths.flatMap(({ field }) => field)),
    problems: [...paths.flatMap((path) => path.problems), ...problems],
    args,
  }
}
