import type { Finding } from '../model/overview.ts'

/** The severity of each level: an error needs a person, a warning a look, and a note was settled by a person. */
export const severities: Readonly<Record<Finding['level'], 'error' | 'warning' | 'note'>> = {
  refused: 'error',
  drift: 'error',
  both: 'error',
  foreign: 'error',
  warning: 'warning',
  pending: 'warning',
  'not compared': 'warning',
  overruled: 'note',
  ignored: 'note',
}
