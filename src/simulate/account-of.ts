import { hasField } from '../managers/traits.ts'
import type { AccountFact } from '../model/account-fact.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import { known, mapObserved, type Observed, unknown } from '../model/observed.ts'

/** The account of a daemon of a Mac, which was asked about. Undefined: another server, or one whose account needs no look. */
export function accountOf(
  { manager, domain, user }: Pick<Service, 'manager' | 'domain' | 'user'>,
  { accounts }: Pick<HostFacts, 'accounts'>,
): Observed<AccountFact | null> | undefined {
  if (!hasField(manager, 'domain') || domain !== 'system') return undefined
  return accounts?.[user ?? ''] ?? unknown('not-gathered', `the probe was not asked for the account ${user ?? 'that connects'}`)
}

/** The home of the account that runs the server, if that is not the login account. */
export function homeOf(service: Service, facts: Pick<HostFacts, 'accounts' | 'layout'>): Observed<string | undefined> {
  const { user } = service
  if (user === undefined || (facts.layout.known && facts.layout.value.user === user)) return known(undefined)
  const account = accountOf(service, facts)
  if (account === undefined) return known(undefined)
  if (account.known && account.value === null) return unknown('unreadable', `there is no account ${user}`)
  return mapObserved(account, (one) => one?.home)
}
