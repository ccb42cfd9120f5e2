import type { ProcessRecord } from './process-record.ts'
import type { FactQuestion, ServerProgram } from './question.ts'

/** What a process is; null: nothing that serves a model. */
export type ProcessClass = { readonly role: 'A' | 'B' | 'engine' | 'runner'; readonly program: string } | null

/** The program that really runs: without interpreter, loader and login dash. */
export interface Invocation {
  /** Its path as called. */
  readonly path: string
  /** Last part of the path. */
  readonly base: string
  readonly args: readonly string[]
  /** Base name of the interpreter that runs it; absent: it runs by itself. */
  readonly interpreter?: string
}

const interpreters = /^(python[\d.]*|pypy[\d.]*|node|bun|deno|ruby|perl|ld-[\w.-]*|qemu-[\w-]+|box64)$/i

/** Whether a program of this name runs others, which are told by what they are given. */
export function isInterpreter(base: string): boolean {
  return interpreters.test(base)
}

/**
 * The one who runs counts, not who is named: an editor, a grep, an ssh or a shell with a server's name among its arguments is
 * itself. An interpreter stands for its script (`python3 -m MODULE` for the module).
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

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Judges by the whole command line, the parent and the children; never by a name alone. */
export function classifyProcess(process: ProcessRecord, all: readonly ProcessRecord[], question: FactQuestion): ProcessClass {
  const invocation = invocationOf(process.argv)
  if (invocation.args.some((arg) => /^(--help|-h|--version)$/.test(arg))) return null
  const parent = all.find(({ pid }) => pid === process.ppid)
  if (parent !== undefined && isFront(parent, all, question)) return { role: 'engine', program: invocation.base }
  if (isFront(process, all, question)) return { role: 'B', program: invocation.base }
  if (isLlamaServer(invocation, question)) return ownerOf(process, invocation, all)
  const runner = runnerName(invocation)
  return runner === undefined ? null : { role: 'runner', program: runner }
}

/** `llama-server` however it is renamed or unpacked, `llama serve`, and what the inventory names as a Kind A executable. */
function isLlamaServer({ path, base, args, interpreter }: Invocation, question: FactQuestion): boolean {
  if (interpreter !== undefined && !/^(ld-|qemu-|box64)/.test(interpreter)) return false
  if (question.programs.some((program) => program.kind === 'A' && program.path === path)) return true
  return isLlamaName(base) || (base === 'llama' && args[0] === 'serve')
}

function isLlamaName(base: string): boolean {
  return /^llama-server([-.]|$)/.test(base)
}

/** Whether a process of this program is told for what it is although no inventory names it. */
export function isServerByName({ kind, path }: Pick<ServerProgram, 'kind' | 'path'>): boolean {
  return kind === 'A' && isLlamaName(baseName(path))
}

/** A `llama-server` that another runner started belongs to that one. */
function ownerOf(process: ProcessRecord, { path }: Invocation, all: readonly ProcessRecord[]): ProcessClass {
  const byPath = ownersByPath.find(({ pattern }) => pattern.test(path))?.name
  if (byPath !== undefined) return { role: 'runner', program: byPath }
  for (let pid = process.ppid, steps = 0; pid > 1 && steps < 8; steps++) {
    const ancestor = all.find((one) => one.pid === pid)
    if (ancestor === undefined) break
    const runner = runnerName(invocationOf(ancestor.argv))
    if (runner !== undefined) return { role: 'runner', program: `llama-server of ${runner}` }
    pid = ancestor.ppid
  }
  return { role: 'A', program: 'llama-server' }
}

const ownersByPath = [
  { pattern: /\/(Ollama\.app|ollama)\//, name: 'llama-server of ollama' },
  { pattern: /\/(LM Studio\.app|\.lmstudio|\.cache\/lm-studio)\//, name: 'llama-server of LM Studio' },
  { pattern: /\/Docker\.app\/|\/docker-model-runner\//, name: 'llama-server of docker model runner' },
]

interface Runner {
  readonly name: string
  readonly is: (invocation: Invocation) => boolean
}

/** Other programs that keep a model in memory. Their clients (`ollama run`, `lms chat`) are none. */
const runners: readonly Runner[] = [
  { name: 'ollama', is: ({ base, args }) => base === 'ollama' && /^(serve|start|runner)$/.test(args[0] ?? '') },
  { name: 'LM Studio', is: isLmStudio },
  { name: 'llama-swap', is: ({ base }) => base === 'llama-swap' },
  {
    name: 'vllm',
    is: ({ base, args }) =>
      (base === 'vllm' && args[0] === 'serve') || base.startsWith('vllm.entrypoints.') || base.startsWith('VLLM::'),
  },
  { name: 'sglang', is: ({ base }) => /^sglang(\.launch_server|::.*)$/.test(base) },
  {
    name: 'mlx_lm.server',
    is: ({ base, args }) => /^mlx_(lm|vlm)\.server$/.test(base) || (/^mlx_(lm|vlm)$/.test(base) && args[0] === 'server'),
  },
  {
    name: 'text-generation',
    is: ({ path, base }) =>
      /^text-generation-(launcher|server|router)$/.test(base) || path.endsWith('/text-generation-webui/server.py'),
  },
  { name: 'koboldcpp', is: ({ base }) => /^koboldcpp([-_.]|$)/i.test(base) },
  { name: 'llamafile', is: ({ base }) => /^llamafile([-.]|$)|\.llamafile$/.test(base) },
  { name: 'docker model runner', is: ({ base }) => /^(com\.docker\.llama-server|(docker-)?model-runner)$/.test(base) },
  { name: 'LocalAI', is: ({ base }) => /^local-ai$/i.test(base) },
  {
    name: 'lemonade',
    is: ({ base, args }) => /^(lemonade-server|lemond)$/.test(base) && !/^(stop|status|list|pull)$/.test(args[0] ?? ''),
  },
  { name: 'gpustack', is: ({ base, args }) => base === 'gpustack' && args[0] === 'start' },
]

function runnerName(invocation: Invocation): string | undefined {
  return runners.find((runner) => runner.is(invocation))?.name
}

/** The application itself, its headless daemon and the workers that hold a model; not the parts that draw. */
function isLmStudio({ path, base, args }: Invocation): boolean {
  if (base === 'llmster' || (base === 'lms' && args[0] === 'daemon')) return true
  if (path.endsWith('/LM Studio.app/Contents/MacOS/LM Studio')) return true
  return /\/\.lmstudio\/.*(worker|engine|backend)/i.test(path)
}

/**
 * Kind B's front: `[INTERPRETER] EXECUTABLE serve …`. One the inventory names is known by its path. One it does not name is
 * known by its shape: a script of Python, told host and port, with a child from its own folder that does the work.
 */
function isFront(process: ProcessRecord, all: readonly ProcessRecord[], question: FactQuestion): boolean {
  const { path, args, interpreter } = invocationOf(process.argv)
  if (args[0] !== 'serve') return false
  if (question.programs.some((program) => program.kind === 'B' && program.path === path)) return true
  if (interpreter === undefined || !/^python/i.test(interpreter) || !args.includes('--host') || !args.includes('--port'))
    return false
  return (
    runnerName(invocationOf(process.argv)) === undefined &&
    all.some((child) => child.ppid === process.pid && isEngine(child, path))
  )
}

function isEngine({ argv }: ProcessRecord, front: string): boolean {
  const folder = front.slice(0, front.lastIndexOf('/') + 1)
  const program = argv[0] ?? ''
  return folder !== '' && program.startsWith(folder) && !isInterpreter(baseName(program))
}
