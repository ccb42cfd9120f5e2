import { InternalError } from './converge-error.ts'

/** For the `default` of an exhaustive switch. */
export function assertNever(value: never): never {
  throw new InternalError(`unexpected value ${JSON.stringify(value)}`)
}
