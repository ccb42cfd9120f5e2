import { catalogue } from '../errors/catalogue.ts'
import type { ConvergeError } from '../errors/converge-error.ts'

/** The JSON output if there is no result. */
export function errorDocument(error: ConvergeError): object {
  return { schema: 'converge/error/v1', ...error.toProblem(), issues: error.issues, exit_code: catalogue[error.code].exit }
}
