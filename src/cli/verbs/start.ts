import { operationVerb } from '../operation-verb.ts'

/** `converge start SERVICE[@HOST]…` */
export const verb = operationVerb('start')
