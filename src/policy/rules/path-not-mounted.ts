import { pathInContainer } from '../../managers/compose/project.ts'
import { inContainer } from '../../managers/traits.ts'
import type { Service } from '../../model/fleet.ts'
import type { KeyPath } from '../../model/source.ts'
import { serverKinds } from '../../servers/index.ts'
import type { Finding, Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

/** What begins with a slash and is no file. */
const paths = new Set(['--api-prefix', 'LLAMA_ARG_API_PREFIX'])

export const pathNotMounted: Rule = {
  code: 'PATH.NOT_MOUNTED',
  severity: 'warn',
  title: 'A file for the server is possibly not in its container.',
  explain:
    'A container sees only the folder of the model, as `/models`, and the key file. Here the server is given another path of the host ' +
    '(`--mmproj`, `--lora`, `--chat-template-file`, …). It does not find the file and exits, unless the image contains a file of that name. Put ' +
    'the file beside the model and give its path in the container: `/models/…`.',
  consentable: false,
  checkInventory({ service }) {
    if (!inContainer(service)) return []
    return [...fromArguments(service), ...fromEnvironment(service)].flatMap((given) => findingOn(service, given))
  },
}

interface Given {
  readonly flag: string
  readonly path: string
  readonly key: KeyPath
}

function fromArguments({ extraArgs }: Service): readonly Given[] {
  return extraArgs.flatMap((arg, index): readonly Given[] => {
    const [, name, value] = /^(--?[a-z][\w-]*)=(\/.*)$/is.exec(arg) ?? []
    if (name !== undefined && value !== undefined) return [{ flag: name, path: value, key: ['extra_args', index] }]
    const before = extraArgs[index - 1]
    if (!arg.startsWith('/') || before === undefined || !/^--?[a-z]/i.test(before)) return []
    return [{ flag: before, path: arg, key: ['extra_args', index] }]
  })
}

/** Each flag that takes a file has a variable, where the kind has any. */
function fromEnvironment({ kind, extraEnv }: Service): readonly Given[] {
  const prefix = serverKinds[kind].fields.flagVariables
  if (prefix === undefined) return []
  return Object.entries(extraEnv)
    .filter(([name, value]) => name.startsWith(prefix) && value.startsWith('/'))
    .map(([name, path]) => ({ flag: name, path, key: ['env', name] }))
}

function findingOn(service: Service, { flag, path, key }: Given): readonly Finding[] {
  if (paths.has(flag) || path === '/models' || path.startsWith('/models/')) return []
  const { name, host } = service
  const inside = pathInContainer(service, path)
  const seen = inside === undefined ? 'which is not mounted into its container' : `which its container sees as ${inside}`
  return [
    {
      why: `${name} on ${host} is given ${flag} ${path}, ${seen}.`,
      evidence: [inventoryLine(service, key, `${name}: ${flag} ${path}`)],
      next:
        inside === undefined
          ? ['Put the file beside the model and give its path as /models/NAME, or see that the image has it.']
          : [`Give ${name} ${flag} ${inside} instead.`],
    },
  ]
}
