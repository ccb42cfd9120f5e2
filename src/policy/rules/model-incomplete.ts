import type { ModelFiles } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { NextStep } from '../../model/next-step.ts'
import { kindWords, loadsFolder, loadsGguf } from '../../servers/traits.ts'
import { bringsUp } from '../brings-up.ts'
import { fetchHint, unfinishedWords } from '../fetch-words.ts'
import { firstPartOf, isLaterPart, partOf } from '../model-part.ts'
import type { ActionContext, Finding, Rule } from '../rule.ts'
import { factUnknown, inventoryLine } from '../words.ts'

export const modelIncomplete: Rule = {
  code: 'MODEL.INCOMPLETE',
  severity: 'refuse',
  title: 'The model is incomplete.',
  explain:
    'A part is missing, a download is unfinished, the path does not name the first part, or the file is not a readable GGUF. The server would ' +
    'fail while loading, and its manager would restart it forever. Finish the download, then plan again.',
  consentable: false,
  checkAction(context) {
    if (!bringsUp(context)) return []
    const { service, host, facts } = context
    const model = facts.models[service.model.path]
    if (model?.known !== true || model.value === null) return []
    // Its own header says nothing of the whole model, whose parts were counted from its name.
    if (isLaterPart(service)) return [wrongPart(service)]
    const unfinished = unfinishedWords(context.fetch)
    const faults = [...(unfinished === undefined ? [] : [unfinished]), ...faultsOf(service, model.value)]
    if (faults.length > 0) return [incomplete(context, faults)]
    return headerFinding(context, host.name, model.value)
  },
}

type Fetched = Pick<ActionContext, 'service' | 'fetch'>

function incomplete({ service, fetch }: Fetched, faults: readonly string[]): Finding {
  return {
    why: `${service.name} on ${service.host} is to load ${service.model.path}, but ${faults[0] ?? 'it is not complete'}.`,
    evidence: [inventoryLine(service, ['model', 'path'], `${service.name}: model.path ${service.model.path}`), ...faults],
    next: adviceOf(service, fetch),
  }
}

/** A download of ours resumes from its partial files, so they are not to be removed. */
function adviceOf(service: Service, fetch: Fetched['fetch']): readonly NextStep[] {
  const hint = fetchHint(service, fetch)
  if (hint !== undefined) return [hint]
  return ['Finish or repeat the download, then plan again.', 'Remove left-over partial files that nothing needs any more.']
}

function wrongPart(service: Service): Finding {
  const { path } = service.model
  const first = firstPartOf(path)
  return {
    why: `${service.name} on ${service.host} is to load ${path}, but it is part ${partOf(path)}, and a server must be given the first; it finds the others by itself.`,
    evidence: [inventoryLine(service, ['model', 'path'], `${service.name}: model.path ${path}`)],
    next: [`Name the first part in the inventory:  model: { path: ${first} }`],
  }
}

function faultsOf(service: Service, model: ModelFiles): readonly string[] {
  const faults: string[] = []
  if (model.missing.length > 0) faults.push(`parts are missing: ${model.missing.join(', ')}`)
  const partial = model.unfinished.filter((path) => mayBePartOf(service, path))
  if (partial.length > 0) faults.push(`a download has not finished: ${partial.join(', ')}`)
  if (loadsGguf(service.kind)) faults.push(...faultsAsGguf(service, model))
  if (loadsFolder(service.kind)) faults.push(...faultsAsFolder(service, model))
  const split = model.header.known ? (model.header.value.splitCount ?? 0) : 0
  if (split > 1 && split !== model.shards) faults.push(`its header says ${split} parts, its name ${model.shards}`)
  return faults
}

function faultsAsGguf({ kind }: Service, { files, type }: ModelFiles): readonly string[] {
  const faults: string[] = []
  const empty = files.filter(({ bytes }) => bytes === 0)
  if (empty.length > 0) faults.push(`these files are empty: ${empty.map(({ path }) => path).join(', ')}`)
  if (type === 'directory') faults.push(`it is a folder, and Kind ${kindWords(kind)} loads a file`)
  return faults
}

function faultsAsFolder({ kind }: Service, { files, type }: ModelFiles): readonly string[] {
  const faults: string[] = []
  if (type === 'file') faults.push(`it is a file, and Kind ${kindWords(kind)} loads a folder`)
  if (files.every(({ bytes }) => bytes === 0)) faults.push('the folder is empty')
  return faults
}

/** A partial file whose name says that it belongs to another GGUF does not concern this one; a nameless one might. */
function mayBePartOf(service: Service, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (loadsFolder(service.kind) || !name.includes('.gguf')) return true
  const own = service.model.path.slice(service.model.path.lastIndexOf('/') + 1)
  const stem = own.replace(/(-\d{5}-of-\d{5})?\.gguf$/, '')
  return name.startsWith(stem)
}

function headerFinding(about: Fetched, host: string, model: ModelFiles): readonly Finding[] {
  const { service } = about
  if (loadsFolder(service.kind) || model.header.known) return []
  if (model.header.because === 'unreadable') {
    const detail = model.header.detail === undefined ? '' : ` (${model.header.detail})`
    return [incomplete(about, [`its beginning is not a GGUF header${detail}`])]
  }
  const words = {
    host,
    decision: `whether ${service.name} could load it`,
    next: [`Let the account that converge uses on ${host} read ${model.path}, or set ansible_become: true.`],
  }
  return [factUnknown(`The header of ${model.path}`, model.header, words)]
}
