import type { CatalogueEntry } from './entry.ts'

export const demoCodes = {
  'DEMO.OTHERWISE': {
    exit: 5,
    title: 'the tour of `converge demo` did not go as it should',
    explain:
      'The tour runs the real commands on hosts that are simulated on this machine, and one of them ended otherwise than it does on every other day. Nothing outside the simulated fleet was touched, and the fleet is gone. A machine with too little memory or time for a handful of small processes is the usual reason.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>
