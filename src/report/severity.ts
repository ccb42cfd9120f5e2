import type { Finding } from '../model/overview.ts'

/** How much each kind of finding matters: an error asks for somebody, a warning for a look, a note was settled by a person. */
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
