import type { Layout } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { LaunchdDomain } from '../../model/names.ts'

/** A job in launchd. */
export interface JobName {
  readonly domain: LaunchdDomain
  readonly label: string
}

export function domainOf({ domain = 'gui' }: Pick<Service, 'domain'>): LaunchdDomain {
  return domain
}

export const otherDomain: Readonly<Record<LaunchdDomain, LaunchdDomain>> = { gui: 'system', system: 'gui' }

/** For the shell. The gui domain is that of the login account, also where commands run as root. */
export const domainWord: Readonly<Record<LaunchdDomain, string>> = { gui: 'gui/${SUDO_UID:-$(id -u)}', system: 'system' }

/** What a job of the domain is called, and when launchd starts it by itself. */
export const domainWords: Readonly<Record<LaunchdDomain, { readonly job: string; readonly start: string }>> = {
  gui: { job: 'agent', start: 'login' },
  system: { job: 'daemon', start: 'boot' },
}

/** Where property lists of the domain are, as asked or on a host. */
export function plistIn(domain: LaunchdDomain, { home }: Pick<Layout, 'home'>, label: string): string {
  return domain === 'system' ? `/Library/LaunchDaemons/${label}.plist` : `${home}/Library/LaunchAgents/${label}.plist`
}
