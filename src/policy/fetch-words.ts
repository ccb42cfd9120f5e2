import { converge } from '../lib/next-command.ts'
import { isCommit } from '../model/commit.ts'
import type { Service } from '../model/fleet.ts'
import type { NextStep } from '../model/next-step.ts'
import { loadsGguf } from '../servers/traits.ts'
import type { JudgedModel } from '../simulate/fetch/judge-host.ts'

/** How to get the model of a service onto its host; undefined: the inventory names no source. */
export function fetchHint({ host, name, model }: Service, fetch?: JudgedModel): NextStep | undefined {
  if (model.source === undefined) return undefined
  const where = ['--limit', host, '--service', name]
  if (fetch?.verdict.state === 'fetching') return converge(['fetch', 'status', ...where], { say: 'Wait for the download:' })
  if (fetch?.verdict.state === 'complete') return 'The hub has no loadable model there: correct model.source.'
  return converge(['fetch', ...where], { say: 'Fetch it:' })
}

/** What is missing of a model, in words; undefined: no download of it is known to be running or unfinished. */
export function unfinishedWords(fetch: JudgedModel | undefined): string | undefined {
  if (fetch === undefined || !isOfSource(fetch)) return undefined
  const { state, files } = fetch.verdict
  const present = files.filter((one) => one.state !== 'missing' && one.state !== 'partial').length
  if (present === files.length) return undefined
  const count = files.length === 1 ? 'its file is missing' : `${present} of ${files.length} files are present`
  if (state === 'fetching') return `it is still being fetched: ${count}`
  if (files.some((one) => one.state === 'partial')) return `it is only partly fetched: ${count}`
  return lacksFiles(fetch) ? `it is incomplete: ${count}` : undefined
}

/** Compares with the hub's list, because a folder does not show what is missing. Images, papers and other formats of the model do not count. */
function lacksFiles({ about: { model, listing }, verdict }: JudgedModel): boolean {
  if (loadsGguf(model.kind) || listing === undefined || 'code' in listing || listing.commit !== verdict.commit) return false
  return verdict.files.some(({ state, name }) => state === 'missing' && needed.test(name))
}

const needed = /^[^/]*\.(?:safetensors|json)$|^(?:tokenizer|vocab|merges)[^/]*$/

/** Whether the files come from the source in the inventory: a job may have fetched another one. */
function isOfSource({ about: { model, fact }, verdict }: JudgedModel): boolean {
  const { revision, repo } = model.source
  if (!fact.known || verdict.problem?.code === 'MODEL.MOVED' || model.rivals !== undefined) return false
  if (verdict.state === 'fetching' && fact.value.job?.repo !== repo) return false
  return !isCommit(revision) || verdict.commit === revision
}
