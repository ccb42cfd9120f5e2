import { converge } from '../lib/next-command.ts'
import { isCommit } from '../model/commit.ts'
import type { Service } from '../model/fleet.ts'
import type { NextStep } from '../model/next-step.ts'
import { loadsGguf } from '../servers/traits.ts'
import type { JudgedModel } from '../simulate/fetch/judge-host.ts'

/** How the model of a service gets onto its host; undefined: nobody says where it comes from. */
export function fetchHint({ host, name, model }: Service, fetch?: JudgedModel): NextStep | undefined {
  if (model.source === undefined) return undefined
  const where = ['--limit', host, '--service', name]
  if (fetch?.verdict.state === 'fetching') return converge(['fetch', 'status', ...where], { say: 'Wait until it is there:' })
  if (fetch?.verdict.state === 'complete') return 'What the hub has there is no model that can be loaded: correct model.source.'
  return converge(['fetch', ...where], { say: 'Fetch it:' })
}

/** What of a model is still to come, in words; undefined: nothing is known to be under way or left half. */
export function unfinishedWords(fetch: JudgedModel | undefined): string | undefined {
  if (fetch === undefined || !isOfSource(fetch)) return undefined
  const { state, files } = fetch.verdict
  const there = files.filter((one) => one.state !== 'missing' && one.state !== 'partial').length
  if (there === files.length) return undefined
  const count = files.length === 1 ? 'its file is not there yet' : `${there} of ${files.length} files are there`
  if (state === 'fetching') return `it is being fetched: ${count}`
  if (files.some((one) => one.state === 'partial')) return `it was fetched in part: ${count}`
  return lacksFiles(fetch) ? `not all of it is there: ${count}` : undefined
}

/** By what its hub lists, because a folder alone does not show what is missing. Pictures, papers and other formats of the model do not matter. */
function lacksFiles({ about: { model, listing }, verdict }: JudgedModel): boolean {
  if (loadsGguf(model.kind) || listing === undefined || 'code' in listing || listing.commit !== verdict.commit) return false
  return verdict.files.some(({ state, name }) => state === 'missing' && needed.test(name))
}

const needed = /^[^/]*\.(?:safetensors|json)$|^(?:tokenizer|vocab|merges)[^/]*$/

/** The files are those of the source as the inventory has it: a job may have fetched another. */
function isOfSource({ about: { model, fact }, verdict }: JudgedModel): boolean {
  const { revision, repo } = model.source
  if (!fact.known || verdict.problem?.code === 'MODEL.MOVED' || model.rivals !== undefined) return false
  if (verdict.state === 'fetching' && fact.value.job?.repo !== repo) return false
  return !isCommit(revision) || verdict.commit === revision
}
