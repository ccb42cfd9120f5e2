import type { Preconditions } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Observed } from '../model/observed.ts'

/** The two things about a service that an action relies on; a manager's `ServiceState` has both. */
export interface ObservedService {
  readonly definitionDigest: string | null
  readonly process: { readonly pid: number; readonly start: string } | null
}

/**
 * What of an action's preconditions no longer holds, as sentences; empty: all of it does. What cannot be seen any more does not
 * hold.
 */
export function brokenPreconditions(
  relies: Preconditions,
  service: Observed<ObservedService>,
  facts: Pick<HostFacts, 'listeners' | 'platform'>,
): readonly string[] {
  return [
    ...serviceSentences(relies, service),
    ...portSentences(relies.free_port, facts.listeners),
    ...bootSentences(relies.boot_id, facts.platform),
  ]
}

function serviceSentences(relies: Preconditions, service: Observed<ObservedService>): readonly string[] {
  if (relies.definition_digest === undefined && relies.process === undefined) return []
  if (!service.known) return [`the service could not be observed again (${service.detail ?? service.because})`]
  const sentences: string[] = []
  if (relies.definition_digest !== undefined && relies.definition_digest !== service.value.definitionDigest)
    sentences.push(definitionWords(relies.definition_digest, service.value.definitionDigest))
  if (relies.process !== undefined && !sameProcess(relies.process, service.value.process))
    sentences.push(`${processWords(relies.process)} was there, now ${processWords(service.value.process)} is`)
  return sentences
}

function definitionWords(before: string | null, now: string | null): string {
  if (before === null) return 'there was no definition, now there is one'
  return now === null ? 'the definition is gone' : 'the definition was changed'
}

function sameProcess(a: ObservedService['process'], b: ObservedService['process']): boolean {
  return a === null || b === null ? a === b : a.pid === b.pid && a.start === b.start
}

function processWords(process: ObservedService['process']): string {
  return process === null ? 'no process' : `process ${process.pid} (started ${process.start})`
}

function portSentences(port: number | undefined, listeners: HostFacts['listeners']): readonly string[] {
  if (port === undefined) return []
  if (!listeners.known) return [`whether port ${port} is free could not be seen again`]
  const taken = listeners.value.find((listener) => listener.port === port)
  return taken === undefined ? [] : [`port ${port} was free, now ${taken.process ?? 'something'} listens there`]
}

function bootSentences(bootId: string | undefined, platform: HostFacts['platform']): readonly string[] {
  if (bootId === undefined) return []
  if (!platform.known) return ['whether the host was restarted could not be seen']
  return platform.value.bootId === bootId ? [] : ['the host was restarted']
}
