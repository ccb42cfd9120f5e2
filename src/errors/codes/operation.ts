import type { CatalogueEntry } from './entry.ts'

export const operationCodes = {
  'OPERATION.NOT_MANAGED': {
    exit: 64,
    title: 'a service that converge does not run',
    explain:
      '`start`, `stop` and `restart` are for services with `state: running` or `state: stopped`. An absent service is not on its host, and converge leaves an unmanaged one alone. Nothing was done.',
  },
  'OPERATION.PROFILE_REFUSED': {
    exit: 3,
    title: 'a part of the profile is refused',
    explain:
      '`converge use` brings all services of a profile to their states, or none. A rule refuses a part of it, so nothing was done: half a profile could leave no server running. The plan above names the refusal and what to do about it.',
  },
  'OPERATION.PROFILE_UNREACHABLE': {
    exit: 4,
    title: 'a host of the profile cannot be reached',
    explain:
      '`converge use` brings all services of a profile to their states, or none. One of its hosts could not be reached, so nothing was done anywhere.',
  },
  'USAGE.PROFILE': {
    exit: 64,
    title: 'no such profile',
    explain:
      'Profiles are named in the inventory, in `fleet.profiles`. `converge use` without an argument lists them and shows which one holds. Nothing was done.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>
