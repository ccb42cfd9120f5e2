import type { Validator } from '../generated/document-validators.js'

/** The validator for the schema that a document names; undefined: an unknown schema. */
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
