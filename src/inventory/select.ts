import { compileGlob } from '../lib/glob.ts'
import type { Fleet } from '../model/fleet.ts'
import { parseHostLimit, type ReadLines } from './host-limit.ts'
import { parseHostPattern, parseHostTerm } from './host-pattern.ts'
import { noHosts, subscriptOutOfRange, unknownName } from './host-pattern-errors.ts'
import { compileHostRegex } from './host-regex.ts'
import type { HostPattern, HostTerm, Subscript, WantedNames } from './host-term.ts'

/** The part of a fleet that patterns match. */
type Inventory = Pick<Fleet, 'hosts' | 'groups' | 'fileOrder'>

/**
 * The hosts that a pattern selects, without duplicates, in Ansible's order: first all unions as written, then every `&`, then every `!`. Without a
 * union it starts from `all`.
 *
 * @throws ConvergeError `USAGE.UNKNOWN_HOST` for a plain name that is neither a host nor a group, also after `!`; `USAGE.NO_HOSTS` if no host is
 * left, or for a position (`[7]`) that does not exist
 */
export function selectHosts(fleet: Inventory, pattern: HostPattern): readonly string[] {
  const names = indexNames(fleet)
  const of = (op: HostTerm['op']) => pattern.terms.filter((term) => term.op === op)
  const unions = of('union').length > 0 ? of('union') : [everything]
  const selected = new Set(unions.flatMap((term) => (names.hosts.has(term.text) ? [term.text] : hostsOf(term, names))))
  for (const term of of('intersect')) keep(selected, new Set(hostsOf(term, names)), true)
  for (const term of of('exclude')) keep(selected, new Set(hostsOf(term, names)), false)
  if (selected.size === 0) throw noHosts(pattern)
  return [...selected]
}

/**
 * The hosts a `--limit` selects.
 *
 * @throws ConvergeError as `selectHosts` and `parseHostLimit` do
 */
export function limitHosts(fleet: Inventory, limit: string, readLines: ReadLines): readonly string[] {
  return selectHosts(fleet, parseHostLimit(limit, readLines))
}

/**
 * The hosts of one play that are within the limit, in the order of its `hosts:`. Empty is normal for one play of several; the caller raises an error
 * if no play has any host.
 *
 * @param limit the result of `limitHosts`; undefined: no limit
 * @throws ConvergeError as `selectHosts` and `parseHostPattern` do, for the play's own pattern
 */
export function playHosts(fleet: Inventory, playPattern: string, limit: readonly string[] | undefined): readonly string[] {
  const selected = selectHosts(fleet, parseHostPattern(playPattern))
  if (limit === undefined) return selected
  const within = new Set(limit)
  return selected.filter((host) => within.has(host))
}

const everything = parseHostTerm('all', { pattern: 'all', column: 1 })

interface Names {
  /** In the order of the files, in which Ansible's globs count. */
  readonly hosts: ReadonlySet<string>
  /** Members by group, in inventory order. */
  readonly groups: ReadonlyMap<string, readonly string[]>
}

function indexNames(fleet: Inventory): Names {
  return {
    hosts: new Set(fleet.fileOrder ?? fleet.hosts.map((host) => host.name)),
    groups: new Map(fleet.groups.map((group) => [group.name, group.hosts])),
  }
}

function keep(selected: Set<string>, named: ReadonlySet<string>, wanted: boolean): void {
  for (const host of selected) if (named.has(host) !== wanted) selected.delete(host)
}

/** May contain a host twice. As in Ansible, a subscript then counts it twice. */
function hostsOf(term: HostTerm, names: Names): readonly string[] {
  const matched = matchNames(term.wanted, names)
  if (matched === undefined) throw unknownName(term, [...names.hosts, ...names.groups.keys()])
  return term.subscript === undefined || matched.length === 0 ? matched : pick(matched, term.subscript, term)
}

/** Groups come first and hide hosts of the same name, unless the term may match several. Undefined: an unknown plain name. */
function matchNames(wanted: WantedNames, names: Names): readonly string[] | undefined {
  if (wanted.by === 'name') {
    const members = names.groups.get(wanted.name)
    const host = names.hosts.has(wanted.name) && (members === undefined || wanted.name.includes('.')) ? [wanted.name] : []
    return members === undefined && host.length === 0 ? undefined : [...(members ?? []), ...host]
  }
  const matches = nameTest(wanted)
  const groups = [...names.groups].filter(([name]) => matches(name))
  return [...groups.flatMap(([, members]) => members), ...[...names.hosts].filter(matches)]
}

function nameTest(wanted: Exclude<WantedNames, { by: 'name' }>): (name: string) => boolean {
  if (wanted.by === 'glob') return compileGlob(wanted.glob)
  const regex = compileHostRegex(wanted.source)
  return (name) => regex.test(name)
}

function pick(matched: readonly string[], subscript: Subscript, term: HostTerm): readonly string[] {
  if ('first' in subscript) return matched.slice(subscript.first, subscript.last === undefined ? undefined : subscript.last + 1)
  const host = matched.at(subscript.index)
  if (host === undefined) throw subscriptOutOfRange(term, matched.length)
  return [host]
}
