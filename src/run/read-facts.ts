import { dirname } from 'node:path'
import { version } from '../context/version.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { UnreadableFile } from '../inventory/unreadable-file.ts'
import { defined } from '../lib/defined.ts'
import { converge } from '../lib/next-command.ts'
import { readOwnFile } from '../load/read-regular-file.ts'
import type { HostFacts } from '../model/facts.ts'
import type { FactsFile } from '../model/facts-file.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import type { NextStep } from '../model/next-step.ts'
import { otherHost, restoreFacts } from '../plan/facts-snapshot/restore-facts.ts'
import { fileDigest } from '../plan/facts-snapshot/take-snapshot.ts'
import { firstFault } from '../state/first-fault.ts'
import { factsPath } from './facts-folder.ts'
import type { Keys } from './keys.ts'

export interface FactsSource {
  readonly folder: string
  /** Milliseconds; absent: no limit. */
  readonly maxAgeMs?: number
  readonly fleet: Fleet
  readonly keys: Keys
  readonly now: Date
}

/** Larger than the facts of any host. */
const maxBytes = 64 * 1024 ** 2
/** The tolerated clock difference between two machines. */
const skewMs = 5 * 60_000

/**
 * Reads the facts of a host from a file.
 *
 * @throws ConvergeError `FACTS.NO_FILE`, `FACTS.DAMAGED`, `FACTS.OTHER_VERSION`, `FACTS.OTHER_HOST`, `FACTS.OUTDATED`
 */
export async function readFacts({ folder, maxAgeMs, fleet, keys, now }: FactsSource, host: Host): Promise<HostFacts> {
  const path = factsPath(folder, host.name)
  const file = await readFile(path, host)
  const other = otherHost(file, fleet, host)
  if (other !== undefined)
    throw refused('FACTS.OTHER_HOST', 'The facts belong to another host.', `${path}: ${other}.`, {
      path,
      host,
    })
  if (maxAgeMs !== undefined) mustBeYoung(file, { path, host, maxAgeMs, now })
  return restoreFacts(file, { fleet, host, keys, remedy: gatherAgain(folder, host, 'with this inventory') })
}

async function readFile(path: string, host: Host): Promise<FactsFile> {
  const document = parse(await textOf(path, host), path, host)
  const schema = String(document['schema'])
  if (/^converge\/host-facts\/v\d+$/.test(schema) && (schema !== 'converge/host-facts/v1' || document['tool'] !== version))
    throw otherVersion(path, host, document)
  const { validateFactsFile } = await import('../generated/document-validators.js')
  if (!validateFactsFile(document)) throw damaged(path, host, firstFault(validateFactsFile.errors))
  if (document['digest'] !== fileDigest(document)) throw damaged(path, host, 'its content does not match its digest')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its schema says so, and a test holds schema and type together
  return document as unknown as FactsFile
}

async function textOf(path: string, host: Host): Promise<string> {
  try {
    return await readOwnFile(path, maxBytes)
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    throw refused('FACTS.NO_FILE', 'There is no facts file for the host.', `${path}: ${error.message}.`, { path, host })
  }
}

function parse(text: string, path: string, host: Host): Record<string, unknown> {
  try {
    const document: unknown = JSON.parse(text)
    if (typeof document === 'object' && document !== null && !Array.isArray(document)) return { ...document }
  } catch {
    // The parser's message would quote the file.
    throw damaged(path, host, 'it is not JSON')
  }
  throw damaged(path, host, 'it is not a JSON object')
}

function mustBeYoung(
  { gathered_at: at }: FactsFile,
  { path, host, maxAgeMs, now }: { readonly path: string; readonly host: Host; readonly maxAgeMs: number; readonly now: Date },
): void {
  const age = now.getTime() - Date.parse(at)
  if (age >= -skewMs && age <= maxAgeMs) return
  const why = age < 0 ? 'that is in the future by the clock of this machine' : 'that is older than --facts-max-age allows'
  throw refused('FACTS.OUTDATED', 'The facts are too old.', `${path} was gathered at ${at}: ${why}.`, {
    path,
    host,
  })
}

function damaged(path: string, host: Host, because: string): ConvergeError {
  return refused('FACTS.DAMAGED', 'The facts snapshot was changed or truncated after it was written.', `${path}: ${because}.`, {
    path,
    host,
  })
}

function otherVersion(path: string, host: Host, { schema, tool }: Record<string, unknown>): ConvergeError {
  const why = `${path} was written by converge ${String(tool)} as ${String(schema)}, and this is converge ${version}, which writes converge/host-facts/v1.`
  return refused('FACTS.OTHER_VERSION', 'The facts were gathered by another version of converge.', why, { path, host })
}

type Code = 'FACTS.NO_FILE' | 'FACTS.DAMAGED' | 'FACTS.OTHER_VERSION' | 'FACTS.OTHER_HOST' | 'FACTS.OUTDATED'

function refused(
  code: Code,
  summary: string,
  why: string,
  { path, host }: { readonly path: string; readonly host: Host },
): ConvergeError {
  return new ConvergeError(code, {
    summary,
    why: `${why} The state of ${host.name} is unknown.`,
    next: [gatherAgain(dirname(path), host)],
  })
}

function gatherAgain(folder: string, host: Host, note?: string): NextStep {
  return converge(['facts', '--limit', host.name, '--out', folder], {
    say: 'Gather them again where the host can be reached:',
    ...defined({ note }),
  })
}
