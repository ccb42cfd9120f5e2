import { expandAsked } from '../../facts/asked-path.ts'
import type { HostFacts, Layout } from '../../model/facts.ts'
import type { Host } from '../../model/fleet.ts'
import type { FetchRecord, ReferenceQuestion } from '../../model/prune.ts'
import { foldersAbove, modelOf } from './names.ts'

/** What to ask a host when its downloads are known. */
export function referenceQuestion(
  host: Host,
  facts: HostFacts,
  layout: Layout,
  records: readonly FetchRecord[],
): ReferenceQuestion {
  const jobs = records.flatMap(({ job }) => (job.known ? [job.value] : []))
  const models = jobs.flatMap((job) => modelOf(job) ?? [])
  const own = models.flatMap(({ path, isFolder, files }) => [path, ...(isFolder ? [] : files), ...foldersAbove(path)])
  const asked = [...own, ...host.services.map(({ model }) => model.path), ...processPaths(facts), ...mountedPaths(facts)]
  return {
    names: unique(models.flatMap(({ names }) => names)),
    paths: unique(asked),
    files: jobs.flatMap(({ entries }) => entries.filter(({ type }) => type === 'file')),
    definitions: unique([...Object.keys(facts.definitions).map((path) => expandAsked(path, layout)), ...composeFiles(facts)]),
  }
}

/** Without duplicates and without paths that do not fit on one line. */
function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].filter((path) => path !== '' && !/[\n\t]/.test(path))
}

function processPaths({ residents }: HostFacts): readonly string[] {
  return residents.known ? residents.value.flatMap(({ argv }) => argv.flatMap(pathsIn)) : []
}

/** Also of `--model=/srv/x.gguf`. */
export function pathsIn(argument: string): readonly string[] {
  const value = argument.slice(argument.indexOf('=') + 1)
  return [argument, value].filter((one) => one.startsWith('/')).map((one) => one.replace(/(?<=.)\/+$/, ''))
}

function mountedPaths({ containers }: HostFacts): readonly string[] {
  return containers.known ? containers.value.containers.flatMap(({ binds }) => binds.map(mountedPath)) : []
}

/** The host path of `host:container[:ro]`. It ends at the first colon before a slash. */
export function mountedPath(bind: string): string {
  return /^(\/.*?):\//.exec(bind)?.[1] ?? ''
}

function composeFiles({ containers }: HostFacts): readonly string[] {
  if (!containers.known) return []
  return containers.value.containers
    .flatMap(({ labels }) => labels['com.docker.compose.project.config_files']?.split(',') ?? [])
    .filter((path) => path.startsWith('/'))
}
