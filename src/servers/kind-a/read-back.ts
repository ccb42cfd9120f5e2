import type { ReadBack, ReadBackProblem, StartedServer } from '../read-back.ts'
import { type ProgramRead, readProgram } from '../read-program.ts'
import { type RestFault, type RestOfKind, readBackOf, secretFault } from '../read-started.ts'
import { fields } from './fields.ts'

/** The fields of a service that `llama-server` was started as. */
export function readBack({ env, ...started }: StartedServer): ReadBack {
  const program = withoutSubcommand(readProgram(started.argv, { interpreter: 'never' }))
  const read = readBackOf({ ...started, env: env && withoutNegation(env) }, program, { ...fields, ...rest })
  if (program.args === undefined) return read
  return { ...read, problems: [...read.problems, ...missingModel(read, env), ...emptyKey(env)] }
}

/** Words before the first flag: the program itself accepts none, `llama serve` does. */
function withoutSubcommand({ args, problems, ...program }: ProgramRead): ProgramRead {
  if (args === undefined) return { ...program, problems, args }
  const at = args.findIndex((word) => word.startsWith('-'))
  const words = at < 0 ? args : args.slice(0, at)
  const why = 'a service starts its program with flags alone'
  return { ...program, problems: [...problems, ...words.map((word) => ({ word, why }))], args: args.slice(words.length) }
}

const negation = 'LLAMA_ARG_NO_JINJA'

/** This variable counts by its presence and before `LLAMA_ARG_JINJA`. */
function withoutNegation({ [negation]: negated, ...env }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return negated === undefined ? env : { ...env, LLAMA_ARG_JINJA: '0' }
}

function missingModel({ fields: given, problems }: ReadBack, env: StartedServer['env']): readonly ReadBackProblem[] {
  if (given['model'] !== undefined || problems.some(({ field }) => field === 'model')) return []
  const why =
    env === undefined
      ? 'the arguments contain no model, and the environment is unreadable'
      : 'it was given none, so it chooses among several models'
  return [{ word: '--model', why, field: 'model' }]
}

/** Compose files and units switch the key off like this, but older builds then require an empty one. */
function emptyKey(env: StartedServer['env'] = {}): readonly ReadBackProblem[] {
  return env['LLAMA_API_KEY'] === ''
    ? [{ word: 'LLAMA_API_KEY=', why: 'builds differ in what an empty key means', field: 'api_key' }]
    : []
}

const download: RestFault = { why: 'the program downloads the model, and a service has its path', field: 'model' }
const downloadFlags: ReadonlySet<string> = new Set(
  '--model-url -mu --docker-repo -dr --hf-repo -hf -hfr --hf-file -hff'.split(' '),
)
const downloadVariables: ReadonlySet<string> = new Set(
  ['MODEL_URL', 'DOCKER_REPO', 'HF_REPO', 'HF_FILE'].map((name) => `LLAMA_ARG_${name}`),
)
/** `--gpt-oss-20b-default` and the like: each sets repository, port, context size and more. */
const preset = /^--(?:embd|fim|gpt-oss|tts|vision)-.+-(?:default|spec)$/

const rest: RestOfKind = {
  keysAddUp: true,
  faultOfWord(flag) {
    if (downloadFlags.has(fields.spelling?.(flag) ?? flag)) return { ...download, valued: true }
    // Of an image whose start script chooses among programs.
    if (flag === '--server') return { why: 'it chooses a program of the image' }
    if (flag === '-hft') return { ...secretFault, valued: true }
    return preset.test(flag) ? { why: 'the preset downloads a model and sets other flags', field: 'model' } : undefined
  },
  faultOfVariable: (name) => (downloadVariables.has(name) ? download : undefined),
  isOwnVariable: (name) => name.startsWith('LLAMA_ARG_'),
}
