import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Context } from '../context/context.ts'
import { errorDocument } from '../context/error-document.ts'
import { wholeOrPart } from '../context/report-bug.ts'
import { version } from '../context/version.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { joined, jsonPieces } from '../lib/json-pieces.ts'
import { mapStrings } from '../lib/map-strings.ts'
import { visibleJson, visibleText } from '../lib/visible-text.ts'
import type { InventoryIssue } from '../model/issue.ts'
import type { Overview } from '../model/overview.ts'
import type { PastRun } from '../model/past-run.ts'
import { placeOfKey, type SourceRef } from '../model/source.ts'
import { type FormatName, type Render, type ReportName, type Result, reports, showingThePast } from '../report/index.ts'
import { overviewOfIssues } from '../report/overview-of-validation.ts'
import { plainPaint } from '../report/paint.ts'
import { safeOverview } from '../report/safe-overview.ts'
import { unfit } from '../state/special-file.ts'
import { type Content, notWritten, writeWhole } from '../state/write-whole.ts'
import type { OpenFleet } from './open-fleet.ts'
import { shardedResult } from './sharded-result.ts'

/** The output options. */
export interface OutputFlags {
  readonly json?: true | undefined
  readonly format?: readonly Destination[] | undefined
  /** Milliseconds from one writing of a page to the next. */
  readonly refresh?: number | undefined
}

/** `FORMAT` goes to stdout, `FORMAT=FILE` into a file. */
export interface Destination {
  readonly format: FormatName
  readonly file?: string
}

/** @param open the fleet of a result with an overview */
export interface Delivery {
  readonly context: Context
  readonly flags: OutputFlags
  readonly open?: OpenFleet
  /** Print nothing to stdout. */
  readonly quiet?: boolean
  /** Reads earlier runs of the same inventory and this one, oldest first. */
  past?(): Promise<readonly PastRun[]>
}

/** Writes a result to stdout in one format, text by default, and into the requested files. */
export async function deliver(delivery: Delivery, whole: Result): Promise<void> {
  const { context, flags, open, quiet = false } = delivery
  const result = shardedResult(whole, open)
  if (result.overview !== undefined) await annotate(context, () => overviewOf(result, open))
  if (!quiet) await print(delivery, result)
  await writeEach(flags, async (name) => {
    if (!isReport(name)) return basicContent(context, name, result)
    return linesIn(context, name, result) ?? reportOf(delivery, name, overviewOf(result, open), result.steps)
  })
}

/** Undefined: render the format from the overview. */
function linesIn({ redactor }: Context, name: ReportName, { lines }: Result): string | undefined {
  if (name !== 'ndjson' || lines === undefined) return undefined
  return lines
    .map(
      (line) =>
        `${visibleJson(
          mapStrings(line, (one) => redactor.redact(one)),
          0,
        )}\n`,
    )
    .join('')
}

/** Writes all files, even if one fails. @throws ConvergeError `USAGE.OUTPUT_FILE` of the first failure */
async function writeEach({ format = [] }: OutputFlags, contentIn: (format: FormatName) => Promise<Content>): Promise<void> {
  const failures: ConvergeError[] = []
  for (const { format: name, file } of format) {
    if (file === undefined) continue
    try {
      await writeWhole(file, await contentIn(name))
    } catch (error) {
      if (!(error instanceof ConvergeError)) throw error
      failures.push(error)
    }
  }
  const [first] = failures
  if (first !== undefined) throw first
}

async function print(delivery: Delivery, result: Result): Promise<void> {
  const { context, flags, open } = delivery
  const format = stdoutFormat(flags)
  if (format === 'json') await context.out.writeJson(result.document)
  else if (format === 'text') context.out.writeProse(wholeOrPart(context, () => result.text(context.out.paint)))
  else
    context.out.write(
      linesIn(context, format, result) ?? (await reportOf(delivery, format, overviewOf(result, open), result.steps)),
    )
}

/**
 * A run that cannot begin has no result. JSON files get the error, so that files of an earlier run are not mistaken for new ones.
 * Mistakes in the inventory go into all reports. stdout in text and JSON is written at the end of the program.
 */
export async function deliverError({ context, flags }: Delivery, error: ConvergeError): Promise<void> {
  for (const { format, file } of flags.format ?? [])
    if (file !== undefined && format === 'json') await writeWhole(file, jsonOf(context, errorDocument(error)))
  if (error.issues.length > 0) await deliverIssues({ context, flags }, error.issues)
}

async function deliverIssues({ context, flags }: Delivery, issues: readonly InventoryIssue[]): Promise<void> {
  const overview = overviewOfIssues(issues, { verb: context.argv[0] ?? '', version })
  await annotate(context, () => overview)
  const format = stdoutFormat(flags)
  if (isReport(format)) context.out.write(await reportOf({ context, flags }, format, overview))
  for (const { format: name, file } of flags.format ?? [])
    if (file !== undefined && isReport(name)) await writeWhole(file, await reportOf({ context, flags }, name, overview))
}

/** In GitHub Actions, shows findings beside the lines they refer to. */
async function annotate({ env, err, redactor }: Context, overview: () => Overview): Promise<void> {
  if (env['GITHUB_ACTIONS'] !== 'true') return
  const { renderAnnotations } = await import('../report/annotations.ts')
  err.write(renderAnnotations(safeOverview(overview(), (text) => redactor.redact(text))))
}

/** @param open to locate services in the inventory */
export function overviewOf(result: Result, open: OpenFleet | undefined): Overview {
  const overview = result.overview?.({
    version,
    issues: open?.warnings ?? [],
    whereabouts: (host, service) => whereabouts(open, host, service),
  })
  if (overview === undefined) throw new TypeError('only verbs with an overview take the formats of reports')
  return overview
}

function whereabouts(open: OpenFleet | undefined, host: string, service: string): SourceRef | undefined {
  const found = open?.fleet.hosts.find(({ name }) => name === host)?.services.find(({ name }) => name === service)
  return found === undefined ? undefined : placeOfKey(found.source, [])
}

async function reportOf(
  { context, flags: { refresh }, past }: Pick<Delivery, 'context' | 'flags' | 'past'>,
  format: ReportName,
  overview: Overview,
  steps: Result['steps'] = {},
): Promise<string> {
  const render: Render = await reports[format]()
  const redact = (text: string) => context.redactor.redact(text)
  const shown = Object.entries(steps).map(([id, text]) => [id, visibleText(redact(text))])
  const earlier = showingThePast.has(format) ? await past?.() : undefined
  const again = refresh === undefined ? undefined : { everyS: refresh / 1000, at: context.now().toISOString() }
  return render(safeOverview(overview, redact), {
    steps: Object.fromEntries(shown),
    ...defined({ past: earlier, refresh: again }),
  })
}

/** Checks that all requested outputs can be written, before anything is done on a host. */
export async function checkDestinations({
  format = [],
  out,
}: OutputFlags & { readonly out?: string | undefined }): Promise<void> {
  for (const file of [...format.map((one) => one.file), out]) {
    if (file === undefined) continue
    try {
      const why = await unfit(file)
      if (why !== undefined) throw new Error(why)
      // A special file is written in place, so its folder does not matter.
      const special = await stat(file).then(
        (found) => !found.isFile(),
        () => false,
      )
      await access(special ? file : dirname(file), constants.W_OK)
    } catch (error) {
      throw notWritten(file, error, 'Nothing was done.')
    }
  }
}

function basicContent(context: Context, format: FormatName, result: Result): Content {
  const { redactor, given } = context
  if (format === 'text') return redactor.redact(wholeOrPart(context, () => result.text(plainPaint(given))))
  return jsonOf(context, result.document)
}

function* jsonOf({ redactor }: Context, document: unknown): Generator<string> {
  yield* joined(jsonPieces(document, (one) => redactor.redact(one)))
  yield '\n'
}

/** Whether a format is rendered from an overview. */
export function isReport(format: string): format is ReportName {
  return Object.hasOwn(reports, format)
}

/** The format for stdout; the last one named wins. */
export function stdoutFormat({ json, format }: OutputFlags): FormatName {
  if (json === true) return 'json'
  return format?.findLast((one) => one.file === undefined)?.format ?? 'text'
}
