import { operationVerb } from '../operation-verb.ts'

/** `converge stop SERVICE[@HOST]…` */
export const verb = operationVerb('stop')
