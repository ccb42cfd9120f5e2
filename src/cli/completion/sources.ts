import type { InventoryNames } from '../../inventory/list-names.ts'
import type { Answer, Candidate } from './answer.ts'
import type { CodeShape, ValueShape } from './command-line.ts'
import type { Place } from './read-line.ts'

/** What completion looks up, and only where it is needed. */
export interface Known {
  /** Of the inventory that the command line means. */
  inventory(): Promise<InventoryNames>
  /** Ids of earlier runs, newest first. */
  runs(): Promise<readonly string[]>
}

interface Typed {
  readonly value: ValueShape
  /** What is typed of the value. */
  readonly text: string
  readonly place: Place
  readonly known: Known
}

type Source = (typed: Typed) => Answer | Promise<Answer>

const playbooks = paths('files', ['yaml', 'yml', 'json'])

/** Where candidates come from, by the name that the help gives to a value. Other values have the few words that their definition names, or none. */
export const sources: Readonly<Record<string, Source>> = {
  pattern: hostPattern,
  host: async ({ known, ...typed }) => ({ candidates: unused(hostsIn(await known.inventory()), typed) }),
  glob: async ({ known, ...typed }) => ({ candidates: unused(servicesIn(await known.inventory()), typed) }),
  'service[@host]': async ({ known, ...typed }) => ({
    candidates: unused(serviceAtHost(typed.text, await known.inventory()), typed),
  }),
  'CODE@SERVICE[@HOST]': approval,
  profile: async ({ known }) => ({
    candidates: (await known.inventory()).profiles.map((value) => ({ value, about: 'profile' })),
  }),
  code: ({ place }) => ({ candidates: place.line.codes.map(codeCandidate) }),
  'command | topic': ({ place }) => ({
    candidates: [...place.line.verbs, ...place.line.topics].map(({ name, about }) => ({ value: name, about })),
  }),
  run: async ({ value, known }) => ({
    candidates: [...value.values, ...(await known.runs())].map((one) => ({ value: one, about: '' })),
  }),
  classes: ({ value, text }) => {
    const [before, used] = listBefore(text, ',')
    return { candidates: value.values.filter((one) => !used.has(one)).map((one) => ({ value: before + one, about: '' })) }
  },
  'FORMAT[=FILE]': ({ value, text }) => {
    if (text.includes('=')) return { paths: 'files', endings: [], prefix: text.slice(0, text.indexOf('=') + 1) }
    return { candidates: value.values.map((one) => ({ value: one, about: '', isOpen: true })) }
  },
  playbook: playbooks,
  'playbook | plan': playbooks,
  files: paths('files', ['json']),
  path: paths('files'),
  file: paths('files'),
  'FILE|fd': paths('files'),
  dir: paths('folders'),
}

function paths(which: 'files' | 'folders', endings: readonly string[] = []): Source {
  return () => ({ paths: which, endings, prefix: '' })
}

/** Names that follow each other in one word, and operators before them: `macs:&small`. */
async function hostPattern({ value, text, place, known }: Typed): Promise<Answer> {
  const [list, used] = listBefore(text, text.includes(',') ? ',' : ':')
  const piece = text.slice(list.length)
  const operator = /^[!&]/.exec(piece)?.[0] ?? ''
  const isLimit = place.verb?.options.some((option) => option.value === value) === true
  const lastRun = isLimit && operator === '' ? ofLastRun : []
  if (piece.startsWith('@') && !lastRun.some((one) => one.value.startsWith(piece)))
    return { paths: 'files', endings: [], prefix: `${list}@` }
  const names = await known.inventory()
  const all = [{ value: 'all', about: 'every host' }, ...groupsIn(names), ...hostsIn(names), ...lastRun]
  return {
    candidates: all.filter((one) => !used.has(one.value)).map((one) => ({ ...one, value: list + operator + one.value })),
  }
}

const ofLastRun: readonly Candidate[] = [
  { value: '@failed', about: 'hosts where the last run failed' },
  { value: '@unreached', about: 'hosts that the last run did not reach' },
]

/** What stands before the last name of a list, and the names there. */
function listBefore(text: string, separator: string): readonly [string, ReadonlySet<string>] {
  const before = text.slice(0, text.lastIndexOf(separator) + 1)
  return [before, new Set(before.split(separator).map((name) => name.replace(/^[!&]/, '')))]
}

async function approval({ text, place, known }: Typed): Promise<Answer> {
  const [code = '', ...rest] = text.split('@')
  if (rest.length === 0) {
    const codes = place.line.codes.filter(({ isApprovable }) => isApprovable)
    return { candidates: codes.map(codeCandidate).map((one) => ({ ...one, value: `${one.value}@`, isOpen: true })) }
  }
  const names = await known.inventory()
  const services = rest.length === 1 ? servicesIn(names) : serviceAtHost(rest.join('@'), names)
  return { candidates: services.map((one) => ({ ...one, value: `${code}@${one.value}` })) }
}

function codeCandidate({ name, about }: CodeShape): Candidate {
  return { value: name, about }
}

/** First the service. If several hosts have it, then the host. */
function serviceAtHost(text: string, names: InventoryNames): readonly Candidate[] {
  const at = text.indexOf('@')
  if (at < 0) {
    return [...hostsByService(names)].map(([name, hosts]) =>
      hosts.length === 1 ? { value: name, about: onHosts(hosts) } : { value: `${name}@`, about: onHosts(hosts), isOpen: true },
    )
  }
  const service = text.slice(0, at)
  const hosts = hostsByService(names).get(service) ?? []
  return hosts.map((host) => ({ value: `${service}@${host}`, about: '' }))
}

function servicesIn(names: InventoryNames): readonly Candidate[] {
  return [...hostsByService(names)].map(([value, hosts]) => ({ value, about: onHosts(hosts) }))
}

function hostsByService({ hosts }: InventoryNames): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const { name, services } of hosts) {
    for (const service of services) {
      const there = found.get(service)
      if (there === undefined) found.set(service, [name])
      else there.push(name)
    }
  }
  return found
}

function onHosts(hosts: readonly string[]): string {
  return `service on ${hosts.length <= 3 ? hosts.join(', ') : `${hosts.length} hosts`}`
}

function groupsIn({ groups }: InventoryNames): readonly Candidate[] {
  return groups
    .filter(({ name }) => name !== 'all')
    .map(({ name, size }) => ({ value: name, about: `group of ${size === 1 ? 'one host' : `${size} hosts`}` }))
}

function hostsIn({ hosts }: InventoryNames): readonly Candidate[] {
  return hosts.map(({ name, services }) => ({
    value: name,
    about:
      services.length === 0 ? 'host' : `host with ${services.length <= 3 ? services.join(', ') : `${services.length} services`}`,
  }))
}

/** Without what an option or argument that takes several values has already. */
function unused(candidates: readonly Candidate[], { value, place }: Omit<Typed, 'known'>): readonly Candidate[] {
  const option = place.verb?.options.find((one) => one.value === value)
  const used = new Set(option === undefined ? place.args : place.given.get(option))
  return candidates.filter((one) => !used.has(one.value))
}
