import type { HostFacts, Resident } from '../../model/facts.ts'
import type { FetchFact } from '../../model/fetch.ts'
import type { Observed } from '../../model/observed.ts'
import { startedModel } from '../../servers/as-started.ts'
import { pathOnHost } from '../path-on-host.ts'

/**
 * Server processes that use the files at the path of a model: they have one of them mapped, or were started with the path. Processes that show
 * neither are not included.
 */
export function usersOf(model: string, fact: Observed<FetchFact>, facts: HostFacts): readonly number[] {
  if (!facts.residents.known) return []
  const inodes = new Set(fact.known ? fact.value.files.map(({ inode }) => inode) : [])
  return facts.residents.value.flatMap((process) =>
    mapsAny(process, model, inodes) || startedWith(process, model, facts) ? [process.pid] : [],
  )
}

/** Inodes of two volumes may be equal, so the name must match as well. */
function mapsAny({ mapped = [] }: Resident, model: string, inodes: ReadonlySet<string>): boolean {
  const name = model.slice(model.lastIndexOf('/') + 1).replace(/-\d{5}-of-\d{5}\.gguf$/, '')
  return mapped.some(({ inode, path, deleted }) => deleted !== true && inodes.has(inode) && path.includes(name))
}

function startedWith(process: Resident, model: string, facts: HostFacts): boolean {
  const { argv, env } = process
  const paths = [startedModel({ argv, env }), ...Object.values(env ?? {})]
  return paths.some((path) => path?.startsWith('/') === true && pathOnHost(path, process, facts) === model)
}
