import { known, type Observed, type UnknownReason, unknown } from '../../src/model/observed.ts'

/** In a data file, what could not be observed. */
export interface UnknownNote {
  readonly unknown: UnknownReason
  readonly detail?: string
}

export function observedAs<T, U>(given: T | UnknownNote, read: (value: T) => U): Observed<U> {
  return isNote(given) ? noted(given) : known(read(given))
}

export function noted<T>({ unknown: because, detail }: UnknownNote): Observed<T> {
  return unknown(because, detail)
}

export function isNote(value: unknown): value is UnknownNote {
  return typeof value === 'object' && value !== null && 'unknown' in value
}
