import type { CatalogueEntry } from './entry.ts'

export const demoCodes = {
  'DEMO.IMPOSSIBLE': {
    exit: 5,
    title: 'the fleet of `converge demo` cannot be started on this machine',
    explain:
      'The tour simulates its hosts on this machine. It needs the OpenSSH client, Perl, a writable temporary folder, and a few free ports from 9990 on. Nothing was started. Your own hosts need none of this.',
  },
  'DEMO.NO_FLEET': {
    exit: 5,
    title: 'no simulated fleet is running',
    explain:
      '`converge demo --change NAME` simulates a manual change on a host of the fleet that `converge demo --keep` leaves running. It finds that fleet by `CONVERGE_INVENTORY`. Nothing was changed.',
  },
  'DEMO.OTHERWISE': {
    exit: 5,
    title: 'the tour of `converge demo` had an unexpected result',
    explain:
      'The tour runs the real commands on hosts that are simulated on this machine. One of the commands ended differently than expected. Nothing outside the simulated fleet was changed, and the fleet was removed. The usual reason is a machine with too little memory or time for a few small processes.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>
