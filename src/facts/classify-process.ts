import type { Resident } from '../model/facts.ts'
import type { ServerKindName } from '../model/names.ts'
import { serverKinds } from '../servers/index.ts'
import { type Invocation, invocationOf } from '../servers/invocation.ts'
import { isServerKind } from '../servers/traits.ts'
import type { ProcessRecord } from './process-record.ts'
import type { FactQuestion } from './question.ts'

/** What a process is; null: nothing that serves a model. */
export type ProcessClass = { readonly role: Resident['role']; readonly program: string } | null

/** Judges by the full command line, the parent and the children; never by a name alone. */
export function classifyProcess(process: ProcessRecord, all: readonly ProcessRecord[], question: FactQuestion): ProcessClass {
  const invocation = invocationOf(process.argv)
  if (invocation.args.some((arg) => /^(--help|-h|--version)$/.test(arg))) return null
  const parent = all.find(({ pid }) => pid === process.ppid)
  const front = parent === undefined ? undefined : kindOfServer(parent, all, question)
  if (front !== undefined && serverKinds[front].recognition.hasEngine) return { role: 'engine', program: invocation.base }
  const kind = kindOfServer(process, all, question)
  if (kind !== undefined) {
    const { comesWithOthers, programName } = serverKinds[kind].recognition
    const owner = comesWithOthers ? ownerOf(process, invocation, all) : undefined
    return owner === undefined ? { role: kind, program: programName(invocation) } : { role: 'runner', program: owner }
  }
  const runner = runnerName(invocation)
  return runner === undefined ? null : { role: 'runner', program: runner }
}

/** A program that the inventory names is checked against its kind first. */
function kindOfServer(
  process: ProcessRecord,
  all: readonly ProcessRecord[],
  { programs }: FactQuestion,
): ServerKindName | undefined {
  const invocation = invocationOf(process.argv)
  const named = programs.find(({ path }) => path === invocation.path)
  const candidate = {
    invocation,
    isRunner: () => runnerName(invocation) !== undefined,
    children: () => all.filter(({ ppid }) => ppid === process.pid).map(({ argv }) => argv),
  }
  const isOf = (kind: ServerKindName) => serverKinds[kind].recognition.isServer({ ...candidate, isNamed: named?.kind === kind })
  if (named !== undefined && isOf(named.kind)) return named.kind
  return Object.keys(serverKinds).filter(isServerKind).find(isOf)
}

/** The program that started this server for itself; undefined: none. */
function ownerOf(process: ProcessRecord, { path }: Invocation, all: readonly ProcessRecord[]): string | undefined {
  const byPath = ownersByPath.find(({ pattern }) => pattern.test(path))?.name
  if (byPath !== undefined) return byPath
  for (let pid = process.ppid, steps = 0; pid > 1 && steps < 8; steps++) {
    const ancestor = all.find((one) => one.pid === pid)
    if (ancestor === undefined) break
    const runner = runnerName(invocationOf(ancestor.argv))
    if (runner !== undefined) return `llama-server of ${runner}`
    pid = ancestor.ppid
  }
  return undefined
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

/** Other programs that keep a model in memory. Their clients (`ollama run`, `lms chat`) are excluded. */
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

/** The application, its headless daemon and the workers that hold a model, but not its renderer processes. */
function isLmStudio({ path, base, args }: Invocation): boolean {
  if (base === 'llmster' || (base === 'lms' && args[0] === 'daemon')) return true
  if (path.endsWith('/LM Studio.app/Contents/MacOS/LM Studio')) return true
  return /\/\.lmstudio\/.*(worker|engine|backend)/i.test(path)
}
