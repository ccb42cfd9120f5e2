import { lastOption } from '../option.ts'
import type { ReadBack, ReadBackProblem, StartedServer } from '../read-back.ts'
import { type ProgramRead, readProgram } from '../read-program.ts'
import { type RestFault, type RestOfKind, readBackOf } from '../read-started.ts'
import { settingOfVariable } from '../setting.ts'
import { fields } from './fields.ts'

/** The fields of a service that the `serve` program was started as. */
export function readBack(started: StartedServer): ReadBack {
  const [, script = '-', third] = started.argv
  const isInterpreted = third === 'serve' && !script.startsWith('-')
  const program = withoutServe(readProgram(started.argv, { interpreter: 'always', isInterpreted, own: 'serve' }))
  if (program.args === undefined) return readBackOf(started, program, { ...fields, ...restOf(undefined) })
  const { prefix, problems } = prefixOf(started, program.args)
  const read = readBackOf(started, program, { ...fields, ...restOf(prefix) }, prefix)
  return {
    ...read,
    fields: {
      ...read.fields,
      // Unlike other fields, a missing flag has a value.
      no_browser: read.fields['no_browser'] ?? false,
      ...(prefix === undefined ? {} : { env_prefix: prefix }),
    },
    problems: [...read.problems, ...problems],
  }
}

function withoutServe({ args, problems, ...program }: ProgramRead): ProgramRead {
  if (args === undefined) return { ...program, problems, args }
  const at = args.indexOf('serve')
  if (at < 0)
    return {
      ...program,
      problems: [...problems, { word: args[0] ?? 'serve', why: 'it does not start `serve`' }],
      args: undefined,
    }
  const words = args.slice(0, at).join(' ')
  const before = at === 0 ? [] : [{ word: words, why: 'a service has no words before `serve`' }]
  return { ...program, problems: [...problems, ...before], args: args.slice(at + 1) }
}

interface PrefixRead {
  readonly prefix?: string
  readonly problems: readonly ReadBackProblem[]
}

/** The prefix of the variable with the model: an absolute path, or the same as `--model`. */
function prefixOf({ env }: StartedServer, args: readonly string[]): PrefixRead {
  const flag = lastOption(args, ['--model'])
  const named = Object.entries(env ?? {}).flatMap(([name, value]) => {
    const [, prefix] = /^([A-Z][A-Z0-9_]*)_MODEL$/.exec(name) ?? []
    return prefix !== undefined && (value.startsWith('/') || value === flag) ? [{ name, prefix, value }] : []
  })
  const same = named.filter(({ value }) => value === flag)
  const [first, ...others] = same.length > 0 ? same : named
  if (first === undefined) return { problems: [noPrefix(flag, env)] }
  if (others.length === 0) return { prefix: first.prefix, problems: [] }
  const word = [first, ...others].map(({ name }) => name).join(', ')
  return { problems: [{ word, why: 'only one of these variables names the model', field: 'env_prefix' }] }
}

function noPrefix(flag: string | undefined, env: StartedServer['env']): ReadBackProblem {
  const unreadable = env === undefined ? ', and the environment is unreadable' : ''
  if (flag === undefined) return { word: '--model', why: `the arguments contain no model${unreadable}`, field: 'model' }
  return { word: '--model', why: `the prefix of its variables is unknown${unreadable}`, field: 'env_prefix' }
}

const unknownPrefix: RestFault = { why: 'the prefix of the variables is unknown', field: 'env_prefix' }

function restOf(prefix: string | undefined): RestOfKind {
  return {
    faultOfWord(flag) {
      // As argparse does.
      const one = fields.settings.find(({ flags: [long] }) => flag.length > 2 && long.startsWith(flag))
      if (one === undefined) return undefined
      return { why: `the program may read it as ${one.flags[0]}`, field: one.field, ...(one.switches ? {} : { valued: true }) }
    },
    faultOfVariable: (name) =>
      prefix === undefined && settingOfVariable(fields, name) !== undefined ? unknownPrefix : undefined,
    isOwnVariable: (name) => prefix !== undefined && name.startsWith(`${prefix}_`),
  }
}
