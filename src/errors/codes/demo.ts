import type { CatalogueEntry } from './entry.ts'

export const demoCodes = {
  'DEMO.IMPOSSIBLE': {
    exit: 5,
    title: 'the fleet of `converge demo` cannot be started here',
    explain:
      'The tour simulates its hosts on this machine. For that it needs the OpenSSH client, Perl, a temporary folder to write to, and a handful of free ports from 9990 on. Nothing was started, and your own hosts need none of it.',
  },
  'DEMO.NO_FLEET': {
    exit: 5,
    title: 'no simulated fleet is up',
    explain:
      '`converge demo --change NAME` has somebody change something by hand on a host of the fleet that `converge demo --keep` leaves up, and finds that fleet by `CONVERGE_INVENTORY`. Nothing was changed.',
  },
  'DEMO.OTHERWISE': {
    exit: 5,
    title: 'the tour of `converge demo` did not go as it should',
    explain:
      'The tour runs the real commands on hosts that are simulated on this machine, and one of them ended otherwise than it does on every other day. Nothing outside the simulated fleet was touched, and the fleet is gone. A machine with too little memory or time for a handful of small processes is the usual reason.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>
