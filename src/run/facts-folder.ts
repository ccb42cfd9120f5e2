import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { version } from '../context/version.ts'
import { questionFor } from '../facts/question.ts'
import { sha256 } from '../lib/digest.ts'
import { mapStrings } from '../lib/map-strings.ts'
import { stableJson } from '../lib/stable-json.ts'
import { managers } from '../managers/index.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host } from '../model/fleet.ts'
import { takeSnapshot, withFileDigest } from '../plan/facts-snapshot/take-snapshot.ts'
import { notWritten, writeWhole } from '../state/write-whole.ts'
import type { PlanningRun } from './planning-run.ts'

/**
 * The path of a host's facts: always below the folder, whatever the host's name contains. Capitals are encoded, because some file
 * systems do not distinguish `NAS` and `nas`.
 */
export function factsPath(folder: string, host: string): string {
  const spelt = [...Buffer.from(host, 'utf8')].map((byte) => {
    const sign = String.fromCharCode(byte)
    return /[a-z0-9_-]/.test(sign) ? sign : sign === '.' ? '.' : `%${byte.toString(16).padStart(2, '0')}`
  })
  const name = spelt.join('').replace(/^\./, '%2e')
  return join(folder, `${name.length <= 120 ? name : `${name.slice(0, 60)}~${sha256(host)}`}.facts.json`)
}

/** Creates the folder before any host is contacted. @throws ConvergeError `USAGE.OUTPUT_FILE` */
export async function openFactsFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
  } catch (error) {
    throw notWritten(folder, error, 'Nothing was done.')
  }
}

/** Writes the facts of one host atomically. @throws ConvergeError `USAGE.OUTPUT_FILE` */
export async function writeFacts(
  { open, keys, context }: PlanningRun,
  folder: string,
  host: Host,
  facts: HostFacts,
): Promise<void> {
  const { fleet } = open
  const question = questionFor(host, fleet, managers, facts.salt)
  const kept = takeSnapshot({ fleet, host, question, facts, keys, tool: version, pepper: context.random(32) })
  const safe = mapStrings(kept, (text) => context.redactor.redact(text))
  await writeWhole(factsPath(folder, host.name), `${stableJson(withFileDigest(safe), 2)}\n`)
}
