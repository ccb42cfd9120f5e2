import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import type { Shard } from '../model/shard.ts'

/** Which shard a command line or its environment asks for. */
export type AskedShard = Pick<Shard, 'index' | 'of' | 'from' | 'run_id'>

type Environment = Readonly<Record<string, string | undefined>>

/** The default of `--shard`: whatever the environment says, `CONVERGE_SHARD` before the variables of an engine. */
export const fromEnvironment = '$CONVERGE_SHARD'

/** More shards than anyone runs; a larger number is a mistake. */
const mostShards = 10_000

/**
 * Reads `--shard` and `--run-id`, or the variables that stand in for them. Every run announces its shard and where it is from, because a job
 * may be one of several for another reason, such as a matrix of sites: `none` is for those.
 *
 * @param given the value of `--shard`; undefined: the verb has no shards
 * @returns undefined: all hosts
 * @throws ConvergeError `USAGE.SHARD`
 */
export function askedShard(given: string | undefined, runId: string | undefined, env: Environment): AskedShard | undefined {
  if (given === undefined) return undefined
  const isDefault = given === fromEnvironment
  const text = isDefault ? (setIn(env, 'CONVERGE_SHARD') ?? (enginesOf(env).length === 0 ? 'none' : 'auto')) : given
  if (text === 'none') {
    if (runId !== undefined) throw wrongShard('--run-id names the run that several shards belong to, and no shard is asked for.')
    return undefined
  }
  const from = isDefault ? 'CONVERGE_SHARD' : '--shard'
  const asked = text === 'auto' ? engineShard(env) : { ...readShard(text, from), from }
  const run_id = runId ?? setIn(env, 'CONVERGE_SHARD_RUN_ID')
  if (run_id !== undefined && !isSharedId(run_id))
    throw wrongShard(
      `The run id ${JSON.stringify(run_id.slice(0, 80))} has to be 1 to 64 letters, digits, dots, dashes or underscores.`,
    )
  return { ...asked, ...defined({ run_id }) }
}

/** Whether shards are asked for, by a verb that has none. */
export function asksForShard(env: Environment): boolean {
  return ![undefined, 'none'].includes(setIn(env, 'CONVERGE_SHARD'))
}

/** As `--run-id` takes it: it is kept in files, and on hosts. */
function isSharedId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)
}

function readShard(text: string, from: string): Pick<Shard, 'index' | 'of'> {
  const [, index = '', of = ''] = /^(\d{1,9})\/(\d{1,9})$/.exec(text.trim()) ?? []
  const shard = { index: Number(index), of: Number(of) }
  if (index === '' || shard.index < 1 || shard.index > shard.of || shard.of > mostShards)
    throw wrongShard(
      `${from} is ${JSON.stringify(text.slice(0, 40))}. It has to be I/N with I from 1 to N, and N at most ${mostShards}; or auto, or none.`,
    )
  return shard
}

/** How an engine numbers its jobs. */
interface Engine {
  readonly name: string
  readonly index: string
  readonly total: string
  /** The first index, or the variables with the first and the last one. */
  readonly first: number | readonly [string, string]
}

const totalVariable = 'CONVERGE_SHARDS'

const engines: readonly Engine[] = [
  // Kubernetes gives a pod its index only, so the template of the job has to say how many there are.
  { name: 'a Kubernetes Indexed Job', index: 'JOB_COMPLETION_INDEX', total: totalVariable, first: 0 },
  {
    name: 'a Slurm array',
    index: 'SLURM_ARRAY_TASK_ID',
    total: 'SLURM_ARRAY_TASK_COUNT',
    first: ['SLURM_ARRAY_TASK_MIN', 'SLURM_ARRAY_TASK_MAX'],
  },
  { name: 'a GitLab parallel job', index: 'CI_NODE_INDEX', total: 'CI_NODE_TOTAL', first: 1 },
  { name: 'a Buildkite parallel job', index: 'BUILDKITE_PARALLEL_JOB', total: 'BUILDKITE_PARALLEL_JOB_COUNT', first: 0 },
]

function enginesOf(env: Environment): readonly Engine[] {
  return engines.filter(({ index }) => setIn(env, index) !== undefined)
}

function engineShard(env: Environment): AskedShard {
  const [engine, other] = enginesOf(env)
  if (engine === undefined) throw noEngine()
  if (other !== undefined)
    throw wrongShard(`${engine.index} and ${other.index} are both set: this is ${engine.name} and ${other.name} at once.`)
  const { index, total, first } = engine
  const number = (variable: string) => numberIn(env, variable, engine)
  const of = number(total)
  const start = typeof first === 'number' ? first : firstOf(first, of, number)
  const shard = { index: number(index) - start + 1, of }
  if (shard.index < 1 || shard.index > of || of > mostShards)
    throw wrongShard(`${index}=${setIn(env, index)} and ${total}=${of} make no shard: it would be ${shard.index} of ${of}.`)
  if (setIn(env, totalVariable) !== undefined && number(totalVariable) !== of)
    throw wrongShard(`${totalVariable} says ${number(totalVariable)} shards, and ${total} says ${of}.`)
  return { ...shard, from: `${index} and ${total}` }
}

/** A part of an array that is run again counts only its own tasks, and would take the hosts of all others too. */
function firstOf([lowest, highest]: readonly [string, string], of: number, number: (variable: string) => number): number {
  const [min, max] = [number(lowest), number(highest)]
  if (of > 1 && max - min + 1 === of) return min
  throw wrongShard(
    `${lowest}=${min} and ${highest}=${max} with ${of} ${of === 1 ? 'task' : 'tasks'} are no array of all shards. To run some of them again, use --shard "$SLURM_ARRAY_TASK_ID/8".`,
  )
}

function numberIn(env: Environment, variable: string, { name }: Engine): number {
  const text = setIn(env, variable)
  if (text === undefined) throw wrongShard(`This is ${name}, but ${variable} is not set.`)
  if (!/^\d{1,9}$/.test(text)) throw wrongShard(`${variable} is ${JSON.stringify(text.slice(0, 40))}, which is not a number.`)
  return Number(text)
}

function setIn(env: Environment, name: string): string | undefined {
  const value = env[name]
  return value === '' ? undefined : value
}

function noEngine(): ConvergeError {
  const names = engines.map(({ index, total }) => `${index} with ${total}`).join(', ')
  return wrongShard(`auto takes the shard from the engine that started this job, and none of its variables is set: ${names}.`)
}

function wrongShard(why: string): ConvergeError {
  return new ConvergeError('USAGE.SHARD', {
    summary: 'The shard cannot be made out. Nothing was done.',
    why,
    next: ['Name a shard, for example  --shard 3/8', 'Or use all hosts:  --shard none'],
  })
}
