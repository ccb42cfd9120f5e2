import { adoptCodes } from './codes/adopt.ts'
import { applyCodes } from './codes/apply.ts'
import { approvalCodes } from './codes/approval.ts'
import { connectCodes } from './codes/connect.ts'
import { definitionCodes } from './codes/definition.ts'
import { demoCodes } from './codes/demo.ts'
import { endpointsCodes } from './codes/endpoints.ts'
import { factsCodes } from './codes/facts.ts'
import { fetchCodes } from './codes/fetch.ts'
import { hubCodes } from './codes/hub.ts'
import { internalCodes } from './codes/internal.ts'
import { inventoryCodes } from './codes/inventory.ts'
import { notifyCodes } from './codes/notify.ts'
import { operationCodes } from './codes/operation.ts'
import { pruneCodes } from './codes/prune.ts'
import { resumeCodes } from './codes/resume.ts'
import { savedPlanCodes } from './codes/saved-plan.ts'
import { scheduleCodes } from './codes/schedule.ts'
import { secretCodes } from './codes/secret.ts'
import { stateCodes } from './codes/state.ts'
import { usageCodes } from './codes/usage.ts'

/**
 * Every error code, with its exit code and the text of `converge explain CODE`. `codes/` has one file for each stage; codes of refusals and warnings
 * are with their rules in `policy/`.
 */
export const catalogue = {
  ...usageCodes,
  ...approvalCodes,
  ...inventoryCodes,
  ...secretCodes,
  ...connectCodes,
  ...factsCodes,
  ...definitionCodes,
  ...applyCodes,
  ...demoCodes,
  ...savedPlanCodes,
  ...stateCodes,
  ...resumeCodes,
  ...notifyCodes,
  ...fetchCodes,
  ...hubCodes,
  ...pruneCodes,
  ...adoptCodes,
  ...operationCodes,
  ...scheduleCodes,
  ...endpointsCodes,
  ...internalCodes,
} as const

export type ErrorCode = keyof typeof catalogue
