import type { Validator } from '../generated/document-validators.js'

/** What judges a document by the schema that it names itself; undefined: of a kind that is not known. */
export async function validatorOf(document: unknown): Promise<Validator | undefined> {
  const { validatePlan, validateReport, validateDrift, validateFetch } = await import('../generated/document-validators.js')
  const named = typeof document === 'object' && document !== null && 'schema' in document ? document.schema : undefined
  return new Map<unknown, Validator>([
    ['converge/plan/v1', validatePlan],
    ['converge/report/v1', validateReport],
    ['converge/drift/v1', validateDrift],
    ['converge/fetch/v1', validateFetch],
  ]).get(named)
}
