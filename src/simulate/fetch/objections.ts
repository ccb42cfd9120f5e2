import { binaryBytes } from '../../lib/binary-bytes.ts'
import { nameOfPath } from '../../lib/posix-path.ts'
import { type FetchOrder, type FetchTool, isProved } from '../../model/fetch.ts'
import type { Problem } from '../../model/plan.ts'
import { failureProblem } from './failure.ts'
import type { FetchCase } from './fetch-case.ts'
import { isComing } from './neighbours.ts'
import type { Listing, SourcedModel } from './order.ts'
import { bytesToFetch, type FileOnHost } from './state.ts'
import type { Supply } from './supply.ts'

/** What is wrong with a model in the inventory, independently of its host. */
export function unsound(host: string, model: SourcedModel): Problem | undefined {
  return model.rivals === undefined ? oddPath(model) : rivalry(host, model, model.rivals)
}

function rivalry(host: string, { path, services }: SourcedModel, rivals: readonly string[]): Problem {
  return {
    code: 'FETCH.SOURCES',
    summary: 'Two services load one path from different sources.',
    why: `On ${host}, ${services.join(', ')} and ${rivals.join(', ')} load ${path} from different sources.`,
    next: ['Give each model its own model.path, or both the same source.'],
  }
}

/** One path is one model: records, locks and markers are found by its spelling. */
function oddPath({ path }: SourcedModel): Problem | undefined {
  const isExact =
    path.startsWith('/') && !/\/\/|\/$|[*?[\]{}$]/.test(path) && !path.split('/').some((part) => part === '.' || part === '..')
  if (isExact) return undefined
  return {
    code: 'FETCH.FILES',
    summary: 'The path of the model is ambiguous.',
    why: `model.path is written as ${path}; a model is fetched to one exact path, without \`..\`, wildcards or redundant slashes.`,
    next: ['Write model.path from the root, with single slashes and none at the end.'],
  }
}

export function wrongFiles(commit: string, why: string): Problem {
  return {
    code: 'FETCH.FILES',
    summary: 'The source names no model.',
    why: `At ${commit}, ${why}.`,
    next: ['Correct model.source.files or model.path; names and globs start at the top of the repository.'],
  }
}

/** Digests in the inventory that contradict the hub's listing. */
export function unlisted(
  { source }: SourcedModel,
  { commit, files }: FetchOrder,
  { isWhole: byName }: Listing,
): Problem | undefined {
  // The records of the hub's tool do not contain the folder in the repository.
  const wanted = Object.entries(source.sha256 ?? {}).map(
    ([name, hex]) => [byName === true ? nameOfPath(name) : name, hex] as const,
  )
  const wrong = wanted.find(
    ([name, hex]) => !files.some((file) => file.name === name && file.digest.kind === 'sha256' && file.digest.hex === hex),
  )
  if (wrong === undefined) return undefined
  const [name, hex] = wrong
  const listed = files.find((file) => file.name === name)
  const instead =
    listed === undefined ? 'it is not among the files of the model' : `the hub lists ${listed.digest.kind} ${listed.digest.hex}`
  return {
    code: 'MODEL.DIGEST_MISMATCH',
    summary: 'The hub lists another file than the inventory.',
    why: `For ${name} of ${source.repo} at ${commit} the inventory has sha256 ${hex}; ${instead}. Nothing was fetched.`,
    next: ['Find out which of the two is right before you change model.source.sha256 or revision.'],
  }
}

/** Obstacles on the host: existing files, or too little space. */
export function obstacle(one: FetchCase, files: readonly FileOnHost[], listing: Listing): Problem | undefined {
  return movedProblem(one, files, listing) ?? otherProblem(one, files) ?? spaceProblem(one, files)
}

/** A branch that moved: the host has the old commit as the last job fetched it, or parts of it that would have to be replaced. */
function movedProblem(
  { host, model, fact }: FetchCase,
  files: readonly FileOnHost[],
  { commit, ahead }: Listing,
): Problem | undefined {
  const job = fact.known ? fact.value.job : null
  const { repo, revision } = model.source
  if (!fact.known || job === null || job.repo !== repo || job.commit === commit || revision === commit) return undefined
  const fetched = job.files.filter((file) => isProved(file, fact.value))
  const others = files.filter(({ state }) => state === 'other')
  const isOurs = others.length > 0 && others.every(({ path }) => fetched.some((file) => file.path === path))
  if (!isOurs && (fetched.length === 0 || fetched.length < job.files.length)) return undefined
  return {
    code: 'MODEL.MOVED',
    summary: 'The branch or tag now points to another commit.',
    why: `${host} has ${repo} at ${job.commit}, but ${revision} is at ${commit}${aheadWords(ahead?.get(job.commit))}. Files are never replaced in place.`,
    next: [
      `Keep the existing files:  revision: ${job.commit}`,
      'Or fetch the new one beside it: give model.path another name; the next apply switches the server.',
    ],
  }
}

/** `, 3 commits ahead`; empty if unknown. */
export function aheadWords(commits: number | null | undefined): string {
  if (typeof commits !== 'number' || commits === 0) return ''
  return commits === 1 ? ', 1 commit ahead' : `, ${commits} commits ahead`
}

function otherProblem({ host, model, users = [] }: FetchCase, files: readonly FileOnHost[]): Problem | undefined {
  const other = files.find(({ state }) => state === 'other')
  if (other === undefined) return undefined
  const [pid] = users
  if (pid !== undefined)
    return {
      code: 'MODEL.IN_USE',
      summary: 'A running server uses another version of the model.',
      why: `On ${host}, process ${pid} uses ${model.path}, and ${other.path} is not the file that ${model.source.repo} has at ${model.source.revision}. It is not replaced under a running server.`,
      next: [
        'Fetch the new one beside it: give model.path another name. The server switches to it at its restart.',
        'Or keep the running version: set model.source.revision to its commit.',
      ],
    }
  return {
    code: 'MODEL.DIGEST_MISMATCH',
    summary: 'Another file occupies the path of the model.',
    why: `On ${host}, ${other.path} is not the file that the hub lists (${binaryBytes(other.bytes)}, ${other.digest.kind} ${other.digest.hex.slice(0, 12)}…). It is never overwritten: a server may have it open.`,
    next: ['Move it away if it is not needed, or give model.path another name.'],
  }
}

/** Free bytes needed to fetch this many: file systems reserve some for themselves. */
export function needsRoom(bytes: number): number {
  return bytes * 1.05
}

function spaceProblem({ host, model, disk }: FetchCase, files: readonly FileOnHost[]): Problem | undefined {
  const bytes = bytesToFetch(files)
  if (bytes === 0 || disk?.known !== true || needsRoom(bytes) <= disk.value.freeBytes) return undefined
  const { freeBytes, mount } = disk.value
  return {
    code: 'MODEL.NO_SPACE',
    summary: 'The model does not fit on the disk.',
    why: `On ${host}, ${binaryBytes(bytes)} of ${model.path} are still missing (plus 5 % reserve), but ${binaryBytes(freeBytes)} are free${mount === undefined ? '' : ` on ${mount}`}. Nothing was fetched.`,
    next: ['Free space there, or put model.path on another volume.'],
  }
}

/** Why a job could not get the missing files. */
export function unobtainable(
  one: FetchCase,
  files: readonly FileOnHost[],
  listing: Listing,
  supply: Supply,
): Problem | undefined {
  return notShown(listing, files, supply) ?? noTools(one, files, supply)
}

export const gated = { code: 'MODEL.GATED', summary: 'The hub does not give the files of the model.' } as const

/** The hub lists the files but does not give them, and no other host has them. */
function notShown({ starts }: Listing, files: readonly FileOnHost[], { suppliers }: Supply): Problem | undefined {
  const first = files.find((file) => isComing(file) && suppliers?.has(file.path) !== true && starts?.has(file.name) === true)
  const start = first === undefined ? undefined : starts?.get(first.name)
  if (start === undefined || !('code' in start)) return undefined
  // Other refusals may concern this machine alone.
  return start.code === gated.code ? { ...gated, ...start } : undefined
}

/** The job would fail for this too, but only after it started. */
function noTools(
  { host, model, fact }: FetchCase,
  files: readonly FileOnHost[],
  { order, suppliers }: Supply,
): Problem | undefined {
  const { tools } = fact.known ? fact.value : {}
  if (tools === undefined) return undefined
  const has = (...names: readonly FetchTool[]) => names.some((name) => tools.includes(name))
  const fromHub = order.fetcher !== 'none' && files.some((file) => isComing(file) && suppliers?.has(file.path) !== true)
  const mayUseTool = order.fetcher !== 'http' && has('hf', 'huggingface-cli')
  const mayUseHttp = order.fetcher !== 'hub' && (has('curl') || (has('wget') && model.source.token === undefined))
  const canFetch = !fromHub || mayUseTool || mayUseHttp
  if (canFetch && has('openssl', 'sha256sum', 'shasum')) return undefined
  return failureProblem(host, { reason: 'tools', path: model.path })
}
