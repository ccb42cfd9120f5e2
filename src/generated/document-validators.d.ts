// Generated from schemas/ by `npm run generate`; not to be edited.
import type { ErrorObject } from 'ajv'

export interface Validator {
  (data: unknown): boolean
  /** What was wrong with the last data; null when nothing was. */
  errors?: readonly ErrorObject[] | null
}

export const validatePlan: Validator
export const validateReport: Validator
export const validateDrift: Validator
export const validateFetch: Validator
export const validateKeptRun: Validator
export const validateFactsFile: Validator
