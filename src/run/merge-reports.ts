import { readFile, stat } from 'node:fs/promises'
import type { Context } from '../context/context.ts'
import { type ExitCode, exitCodes, isExitCode, worstOf } from '../context/exit-code.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { isObject } from '../lib/json-object.ts'
import { mapStrings } from '../lib/map-strings.ts'
import { converge } from '../lib/next-command.ts'
import { isVisibleJson, visibleText } from '../lib/visible-text.ts'
import { mergedResult } from '../report/kept-result.ts'
import { type Document, leavesHostsOut, mergeRuns, type Shard } from '../report/merge/merge-runs.ts'
import { validatorOf } from '../state/document-validator.ts'
import { isUnprintable, misfit } from '../state/kept-report.ts'
import { deliver, type OutputFlags } from './deliver.ts'
import { openReported } from './open-reported.ts'
import { packedHosts } from './packed-hosts.ts'

/** Larger than any report. */
const maxBytes = 64 * 1024 * 1024

/**
 * Merges reports of parts of a fleet into one. With the inventory, findings have their lines, and hosts
 * that no report covers lead to exit code 4.
 *
 * @throws ConvergeError `REPORT.INVALID`, `REPORT.NO_SHARDS`
 */
export async function mergeReports(
  context: Context,
  files: readonly string[],
  flags: OutputFlags & { readonly inventory?: string | undefined; readonly secretCommands?: boolean | undefined },
): Promise<ExitCode> {
  const open = flags.inventory === undefined ? undefined : await openReported(context, flags)
  const shards: Shard[] = []
  for (const file of new Set(files)) shards.push({ file, document: await readReport(file) })
  const whole = open === undefined ? undefined : { ...open.fleet, hosts: open.fleet.hosts.map(({ name }) => name) }
  const exit = leavesHostsOut(shards, whole) ? exitCodes.unreachable : exitCodes.done
  const merged = mergeRuns(shards, (codes) => worstOf([exit, ...codes.map(exitCodeOf)]), whole)
  await deliver({ context, flags, ...defined({ open }) }, mergedResult(merged))
  return exit
}

function exitCodeOf(code: number): ExitCode {
  return isExitCode(code) ? code : exitCodes.bug
}

async function readReport(file: string): Promise<Document> {
  const { read, isVisible } = parse(file, await textOf(file))
  // The history wraps the same document.
  const document = isObject(read) && read['schema'] === 'converge/kept-run/v1' ? read['document'] : read
  const validate = await validatorOf(document)
  // Download progress cannot be merged.
  const isOfFetch = isObject(document) && document['schema'] === 'converge/fetch/v1'
  if (validate === undefined || isOfFetch) throw invalid(file, 'it is not JSON output of plan, drift, apply or verify')
  const fault = misfit(validate, document)
  if (fault !== undefined) throw invalid(file, fault)
  try {
    // The file is untrusted: terminal control characters are made visible.
    const safe = isVisible ? document : mapStrings(document, (one) => visibleText(one))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its schema says so, and tests hold schemas and types together
    return packedHosts(safe as Document)
  } catch (error) {
    if (isUnprintable(error)) throw invalid(file, `it matches its schema but cannot be rendered (${error.message})`)
    throw error
  }
}

async function textOf(file: string): Promise<string> {
  try {
    const found = await stat(file)
    if (!found.isFile()) throw new Error('it is not a regular file')
    if (found.size > maxBytes) throw new Error(`it is larger than ${maxBytes / 1024 ** 2} MiB`)
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error) throw invalid(file, error.message.split(', ')[0] ?? '')
    throw error
  }
}

interface Parsed {
  readonly read: unknown
  /** None of its texts has characters that have to be made visible. */
  readonly isVisible: boolean
}

function parse(file: string, text: string): Parsed {
  try {
    return { read: JSON.parse(text.replace(/^\uFEFF/, '')), isVisible: isVisibleJson(text) }
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid(file, `it is not JSON (${error.message.split('\n')[0] ?? ''})`)
    throw error
  }
}

function invalid(file: string, because: string): ConvergeError {
  return new ConvergeError('REPORT.INVALID', {
    summary: 'The file is not a converge report.',
    why: `${file}: ${because}.`,
    next: [
      converge(['plan', '--limit', 'nas', '--format', 'json=nas.json'], {
        say: 'Write a report for each part of the fleet:',
      }),
    ],
  })
}
