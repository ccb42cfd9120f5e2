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
    'fail while loading, and its supervisor would restart it forever. Finish the download, then plan again.',
  consentable: false,
  checkAction(context) {
    if (!bringsUp(context)) return []
    const { service, host, facts } = context
    const model = facts.models[service.model.path]
    if (model?.known !== true || model.value === null) return []
    // The header of a later part does not describe the whole model.
    if (isLaterPart(service)) return [wrongPart(service)]
    const unfinished = unfinishedWords(context.fetch)
    const faults = [...(unfinished === undefined ? [] : [unfinished]), ...faultsOf(service, model.value)]
    if (faults.length > 0) return [incomplete(context, faults)]
    return headerFinding(context, host.name, model.value)
  },
}

type ModelContext = Pick<ActionContext, 'service' | 'fetch'>

function incomplete({ service, fetch }: ModelContext, faults: readonly string[]): Finding {
  return {
    why: `${service.name} on ${service.host} cannot load ${service.model.path}: ${faults[0] ?? 'it is incomplete'}.`,
    evidence: [inventoryLine(service, ['model', 'path'], `${service.name}: model.path ${service.model.path}`), ...faults],
    next: adviceOf(service, fetch),
  }
}

/** A download by converge resumes from its partial files, so they must stay. */
function adviceOf(service: Service, fetch: ModelContext['fetch']): readonly NextStep[] {
  const hint = fetchHint(service, fetch)
  if (hint !== undefined) return [hint]
  return ['Finish or repeat the download, then plan again.', 'Remove leftover partial files.']
}

function wrongPart(service: Service): Finding {
  const { path } = service.model
  const first = firstPartOf(path)
  return {
    why: `${service.name} on ${service.host} loads ${path}, which is part ${partOf(path)}. A server must load the first part; it finds the others itself.`,
    evidence: [inventoryLine(service, ['model', 'path'], `${service.name}: model.path ${path}`)],
    next: [`Name the first part in the inventory:  model: { path: ${first} }`],
  }
}

function faultsOf(service: Service, model: ModelFiles): readonly string[] {
  const faults: string[] = []
  if (model.missing.length > 0) faults.push(`parts are missing: ${model.missing.join(', ')}`)
  const partial = model.unfinished.filter((path) => mayBePartOf(service, path))
  if (partial.length > 0) faults.push(`a download is unfinished: ${partial.join(', ')}`)
  if (loadsGguf(service.kind)) faults.push(...faultsAsGguf(service, model))
  if (loadsFolder(service.kind)) faults.push(...faultsAsFolder(service, model))
  const split = model.header.known ? (model.header.value.splitCount ?? 0) : 0
  if (split > 1 && split !== model.shards) faults.push(`its header lists ${split} parts, its name ${model.shards}`)
  return faults
}

function faultsAsGguf({ kind }: Service, { files, type }: ModelFiles): readonly string[] {
  const faults: string[] = []
  const empty = files.filter(({ bytes }) => bytes === 0)
  if (empty.length > 0) faults.push(`these files are empty: ${empty.map(({ path }) => path).join(', ')}`)
  if (type === 'directory') faults.push(`it is a folder, but Kind ${kindWords(kind)} loads a file`)
  return faults
}

function faultsAsFolder({ kind }: Service, { files, type }: ModelFiles): readonly string[] {
  const faults: string[] = []
  if (type === 'file') faults.push(`it is a file, but Kind ${kindWords(kind)} loads a folder`)
  if (files.every(({ bytes }) => bytes === 0)) faults.push('the folder is empty')
  return faults
}

/** A partial file that is named after another GGUF does not concern this one; one without a GGUF name may. */
function mayBePartOf(service: Service, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (loadsFolder(service.kind) || !name.includes('.gguf')) return true
  const own = service.model.path.slice(service.model.path.lastIndexOf('/') + 1)
  const stem = own.replace(/(-\d{5}-of-\d{5})?\.gguf$/, '')
  return name.startsWith(stem)
}

function headerFinding(about: ModelContext, host: string, model: ModelFiles): readonly Finding[] {
  const { service } = about
  if (loadsFolder(service.kind) || model.header.known) return []
  if (model.header.because === 'unreadable') {
    const detail = model.header.detail === undefined ? '' : ` (${model.header.detail})`
    return [incomplete(about, [`it does not begin with a GGUF header${detail}`])]
  }
  const words = {
    host,
    decision: `whether ${service.name} can load it`,
    next: [`Let the account that converge uses on ${host} read ${model.path}, or set ansible_become: true.`],
  }
  return [factUnknown(`The header of ${model.path}`, model.header, words)]
}
