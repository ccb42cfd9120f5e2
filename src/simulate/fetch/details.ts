import { stableJson } from '../../lib/stable-json.ts'
import type { GgufHeader } from '../../model/facts.ts'
import type { ModelSource } from '../../model/fleet.ts'
import type { Observed } from '../../model/observed.ts'
import type { JudgedModel } from './judge-host.ts'
import { isComing } from './neighbours.ts'
import type { HubTrouble, Listing } from './order.ts'
import { type HubAnswers, questionId } from './sources.ts'

/** A question to a hub beyond the listing of a source: the header of a file, or how far the commit is ahead of an earlier one. */
export type DetailQuestion = {
  readonly source: ModelSource
  readonly commit: string
} & ({ readonly start: string } | { readonly since: string })

export type DetailAnswer =
  | { readonly start: string; readonly header: Observed<GgufHeader> | HubTrouble }
  /** Null: the earlier commit is not in the hub's list. */
  | { readonly since: string; readonly commits: number | null }

/** The useful questions, without duplicates: the header of a model that is still to be fetched, and how far a branch moved. */
export function detailQuestions(judged: readonly JudgedModel[]): readonly DetailQuestion[] {
  const questions = judged.flatMap(questionsOf)
  return [...new Map(questions.map((one) => [detailId(one), one])).values()]
}

/** Equal questions have equal ids. */
export function detailId(question: DetailQuestion): string {
  return stableJson({ ...question, source: questionId(question.source) })
}

function questionsOf({ about: { model, fact, listing }, verdict }: JudgedModel): readonly DetailQuestion[] {
  if (listing === undefined || 'code' in listing || !fact.known || listing.commit !== verdict.commit) return []
  const { source } = model
  const { commit } = listing
  const { job } = fact.value
  if (verdict.problem?.code === 'MODEL.MOVED') return job === null ? [] : [{ source, commit, since: job.commit }]
  const coming = source.from === 'fleet' ? undefined : verdict.files.find((file) => isComing(file) && file.bytes > 0)
  return coming === undefined ? [] : [{ source, commit, start: coming.name }]
}

export function withDetails(listing: Listing, answers: readonly DetailAnswer[]): Listing {
  const starts = answers.flatMap((one) => ('start' in one ? [[one.start, one.header] as const] : []))
  const ahead = answers.flatMap((one) => ('since' in one ? [[one.since, one.commits] as const] : []))
  return {
    ...listing,
    starts: new Map([...(listing.starts ?? []), ...starts]),
    ahead: new Map([...(listing.ahead ?? []), ...ahead]),
  }
}

/** The answers of hubs, with details added. */
export function allWithDetails(
  hubs: HubAnswers,
  asked: readonly { readonly question: DetailQuestion; readonly answer: DetailAnswer }[],
): HubAnswers {
  const bySource = Map.groupBy(asked, ({ question }) => questionId(question.source))
  return new Map(
    [...hubs].map(([id, listing]) => {
      const answers = bySource.get(id)
      return [
        id,
        answers === undefined || 'code' in listing
          ? listing
          : withDetails(
              listing,
              answers.map(({ answer }) => answer),
            ),
      ]
    }),
  )
}
