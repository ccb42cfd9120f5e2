import type { FactQuestion } from '../../facts/question.ts'
import { defined } from '../../lib/defined.ts'
import { digestOf } from '../../lib/digest.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { AskedThen, FactsFile } from '../../model/facts-file.ts'
import type { Fleet, Host } from '../../model/fleet.ts'
import type { Keys } from '../../simulate/service-case.ts'
import { concealKeys } from './conceal-keys.ts'
import { claimKeys } from './key-claims.ts'

/** The facts of a host, and what they were gathered with. */
export interface SnapshotInput {
  readonly fleet: Fleet
  readonly host: Host
  readonly question: FactQuestion
  readonly facts: HostFacts
  readonly keys: Keys
  /** The version of converge. */
  readonly tool: string
  /** Random and never stored: it hides the digests of keys for good. */
  readonly pepper: string
}

/** A snapshot that is safe to store and share; its digest is added later. */
export function takeSnapshot({ fleet, host, question, facts, keys, tool, pepper }: SnapshotInput): Omit<FactsFile, 'digest'> {
  const claims = claimKeys(fleet, host, { facts, keys })
  return {
    schema: 'converge/host-facts/v1',
    tool,
    host: host.name,
    gathered_at: facts.gatheredAt,
    reached: connectionDigest(host),
    asked: askedThen(question),
    keys: claims,
    facts: concealKeys(fleet, host, { facts, keys, pepper }),
  }
}

/** The file with its digest, which shows whether it was changed. */
export function withFileDigest(file: unknown): unknown {
  return typeof file === 'object' && file !== null ? { ...file, digest: fileDigest(file) } : file
}

/** The digest of everything but the digest itself. */
export function fileDigest(file: object): string {
  return digestOf({ ...file, digest: undefined })
}

/** A digest of the connection to a host: another one may lead to another machine, or to another account that sees other things. */
export function connectionDigest({ connection }: Pick<Host, 'connection'>): string {
  const { transport, address, port, user, become, becomeUser } = connection
  // Both SSH transports lead to the same machine.
  return digestOf({ local: transport === 'local', address, port, user, become, ...(become ? { becomeUser } : {}) })
}

export function askedThen(question: FactQuestion): AskedThen {
  return {
    org: question.org,
    ...defined({ converge_dir: question.convergeDir, platform: question.platform }),
    power: question.power,
    images: question.images,
    environment: question.environment.map(({ name }) => name),
    programs: question.programs.map(({ kind, path }) => ({ kind, path })),
    servers: Object.fromEntries(question.http.map(({ service, kind, port }) => [service, { kind, port }])),
  }
}
