import { pathInContainer } from '../../managers/compose/project.ts'
import { inContainer } from '../../managers/traits.ts'
import type { Service } from '../../model/fleet.ts'
import type { KeyPath } from '../../model/source.ts'
import { serverKinds } from '../../servers/index.ts'
import type { Finding, Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

/** Their values begin with a slash but are not files. */
const noFiles = new Set(['--api-prefix', 'LLAMA_ARG_API_PREFIX'])

export const pathNotMounted: Rule = {
  code: 'PATH.NOT_MOUNTED',
  severity: 'warn',
  title: 'A file of the server may be missing in its container.',
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

interface PathOption {
  readonly flag: string
  readonly path: string
  readonly key: KeyPath
}

function fromArguments({ extraArgs }: Service): readonly PathOption[] {
  return extraArgs.flatMap((arg, index): readonly PathOption[] => {
    const [, name, value] = /^(--?[a-z][\w-]*)=(\/.*)$/is.exec(arg) ?? []
    if (name !== undefined && value !== undefined) return [{ flag: name, path: value, key: ['extra_args', index] }]
    const before = extraArgs[index - 1]
    if (!arg.startsWith('/') || before === undefined || !/^--?[a-z]/i.test(before)) return []
    return [{ flag: before, path: arg, key: ['extra_args', index] }]
  })
}

/** If a kind has flag variables, each flag that takes a file has one. */
function fromEnvironment({ kind, extraEnv }: Service): readonly PathOption[] {
  const prefix = serverKinds[kind].fields.flagVariables
  if (prefix === undefined) return []
  return Object.entries(extraEnv)
    .filter(([name, value]) => name.startsWith(prefix) && value.startsWith('/'))
    .map(([name, path]) => ({ flag: name, path, key: ['env', name] }))
}

function findingOn(service: Service, { flag, path, key }: PathOption): readonly Finding[] {
  if (noFiles.has(flag) || path === '/models' || path.startsWith('/models/')) return []
  const { name, host } = service
  const inside = pathInContainer(service, path)
  const seen = inside === undefined ? 'which is not mounted in its container' : `which its container sees as ${inside}`
  return [
    {
      why: `${name} on ${host} gets ${flag} ${path}, ${seen}.`,
      evidence: [inventoryLine(service, key, `${name}: ${flag} ${path}`)],
      next:
        inside === undefined
          ? ['Put the file beside the model and give its path as /models/NAME, or make sure that the image contains it.']
          : [`Give ${name} ${flag} ${inside} instead.`],
    },
  ]
}
