import { operationVerb } from '../operation-verb.ts'

/** `converge restart SERVICE[@HOST]…` */
export const verb = operationVerb('restart')
