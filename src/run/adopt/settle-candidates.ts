import type { Source, Verdict } from '../../adopt/judge-adoption.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { defined } from '../../lib/defined.ts'
import type { FieldChange } from '../../model/action.ts'
import type { AdoptReason } from '../../model/adopt-document.ts'
import type { FileEdit } from '../../model/file-edit.ts'
import type { Run } from '../run.ts'
import { type Candidate, extendInventory, judgeProposals } from './judge-proposals.ts'

export interface Settled {
  readonly edits: readonly FileEdit[]
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly adopted: readonly Candidate[]
}

/** Leaves out the servers that would not be adopted. What is left has been planned together with them. */
export async function settleCandidates(run: Run, candidates: readonly Candidate[], source: Source | undefined): Promise<Settled> {
  const verdicts = new Map<string, Verdict>()
  const described = await withoutInvalid(run, candidates, verdicts)
  if (described.length === 0) return { verdicts, edits: [], adopted: [] }
  const first = await judgeProposals(run, await extendInventory(run, described), described)
  const chosen = described.map((one) => withSource(one, first.get(nameOf(one))?.stale ?? [], source))
  const isAsBefore = chosen.every(({ source: one }) => one === undefined)
  const valid = isAsBefore ? described : await withoutInvalid(run, chosen, verdicts)
  const judged = isAsBefore ? first : await judgeProposals(run, await extendInventory(run, valid), valid)
  for (const [name, { verdict }] of judged) verdicts.set(name, verdict)
  const adopted = valid.filter((one) => verdicts.get(nameOf(one))?.adoptable !== 'no')
  const { edits } = adopted.length === 0 ? { edits: [] } : await extendInventory(run, adopted)
  return { verdicts, edits, adopted }
}

/** What a person chose concerns only servers whose definition is another. */
function withSource(candidate: Candidate, stale: readonly FieldChange[], source: Source | undefined): Candidate {
  if (source === undefined || stale.length === 0) return candidate
  if (source === 'running') return { ...candidate, source }
  const { proposal, asDefined } = candidate
  const { fields } = asDefined(stale)
  const { api_key } = proposal.fields
  return { ...candidate, source, proposal: { ...proposal, fields: { ...fields, ...defined({ api_key }) } } }
}

/** Usually all are valid; otherwise each is tried alone. */
async function withoutInvalid(
  run: Run,
  candidates: readonly Candidate[],
  verdicts: Map<string, Verdict>,
): Promise<readonly Candidate[]> {
  if (candidates.length === 0 || (await faultOf(run, candidates)) === undefined) return candidates
  const valid: Candidate[] = []
  for (const one of candidates) {
    const fault = await faultOf(run, [one])
    if (fault === undefined) valid.push(one)
    else verdicts.set(nameOf(one), { adoptable: 'no', reasons: [fault], waits: [] })
  }
  return valid
}

function nameOf({ host, proposal }: Candidate): string {
  return `${host}/${proposal.name}`
}

async function faultOf(run: Run, candidates: readonly Candidate[]): Promise<AdoptReason | undefined> {
  try {
    await extendInventory(run, candidates)
    return undefined
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    return { code: error.code, why: error.why, next: error.next }
  }
}
