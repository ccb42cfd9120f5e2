import { ConvergeError } from '../errors/converge-error.ts'
import { nearest } from '../inventory/did-you-mean.ts'
import { compileGlob } from '../lib/glob.ts'
import { converge } from '../lib/next-command.ts'
import type { Host, Service } from '../model/fleet.ts'

export interface Target {
  readonly host: Host
  readonly service: Service
}

/**
 * The service that `SERVICE[@HOST]` names.
 *
 * @param verb of the commands to type instead
 * @throws ConvergeError `USAGE.SERVICE` where it names nothing, or more than one
 */
export function findService(hosts: readonly Host[], target: string, verb: string): Target {
  const [name = '', at] = target.split('@')
  const all = hosts.flatMap((host) => host.services.map((service): Target => ({ host, service })))
  const found = all.filter(({ host, service }) => service.name === name && (at === undefined || host.name === at))
  const [only, ...others] = found
  if (only === undefined) throw noSuch(target, at === undefined ? all.map(({ service }) => service.name) : all.map(nameOf))
  if (others.length > 0) throw onSeveral(verb, name, found)
  return only
}

/**
 * The services that any of several `SERVICE[@HOST]` name, both as globs; without one, all but those that should be absent.
 *
 * @param selects whether `-s` selects a service
 * @throws ConvergeError `USAGE.SERVICE` where one names nothing
 */
export function findServices(
  hosts: readonly Host[],
  targets: readonly string[],
  selects: (service: Service) => boolean,
): readonly { readonly host: Host; readonly services: readonly Service[] }[] {
  const all = hosts.flatMap((host) => host.services.filter(selects).map((service): Target => ({ host, service })))
  const tests = targets.map((target) => {
    const [name = '', at = '*'] = target.split('@')
    const [isName, isHost] = [compileGlob(name), compileGlob(at)]
    return ({ host, service }: Target) => isName(service.name) && isHost(host.name)
  })
  const idle = targets.find((_, index) => !all.some((one) => tests[index]?.(one)))
  if (idle !== undefined) throw noSuch(idle, all.map(idle.includes('@') ? nameOf : ({ service }) => service.name))
  const isMeant = (one: Target) => (tests.length === 0 ? one.service.state !== 'absent' : tests.some((test) => test(one)))
  return hosts
    .map((host) => ({ host, services: host.services.filter((service) => selects(service) && isMeant({ host, service })) }))
    .filter(({ services }) => services.length > 0)
}

function nameOf({ host, service }: Target): string {
  return `${service.name}@${host.name}`
}

function noSuch(target: string, known: readonly string[]): ConvergeError {
  const meant = nearest(target, known)
  return new ConvergeError('USAGE.SERVICE', {
    summary: 'There is no such service on this host.',
    why: `The inventory has no ${target}.`,
    next: [
      ...(meant === undefined ? [] : [`Did you mean ${meant}?`]),
      converge(['hosts', '--json'], { note: 'lists hosts and their services' }),
    ],
  })
}

/** So many are named; the rest is counted. */
const mostNamed = 10

function onSeveral(verb: string, name: string, found: readonly Target[]): ConvergeError {
  const more = found.length - mostNamed
  return new ConvergeError('USAGE.SERVICE', {
    summary: 'Several hosts have a service with this name.',
    why: `${name} is on ${found.length} hosts, and each has a definition of its own.`,
    next: [
      ...found.slice(0, mostNamed).map((one) => converge([verb, nameOf(one)])),
      ...(more > 0 ? [converge(['hosts', '--json'], { say: `… and ${more} more:` })] : []),
    ],
  })
}
