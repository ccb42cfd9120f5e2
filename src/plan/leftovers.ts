import type { FieldChange } from '../model/action.ts'
import type { ServiceCase } from './service-case.ts'

/** What lies beside the files of a service without being one of them: deleting it changes nothing that runs. */
export function leftoverChanges({ facts, question }: Pick<ServiceCase, 'facts' | 'question'>): readonly FieldChange[] {
  return [...question.definitions, ...question.keyFiles].flatMap((asked) => {
    const seen = facts.leftovers[asked]
    // A place that could not be looked at is left to the next plan.
    return seen?.known === true
      ? seen.value.map((path) => ({ field: 'leftover', from: path, to: null, effect: 'none' as const }))
      : []
  })
}

/** Whether something is only taken away that nothing reads. */
export function isTidying({ field, to }: FieldChange): boolean {
  return field === 'leftover' || (field === 'key_file' && to === null)
}
