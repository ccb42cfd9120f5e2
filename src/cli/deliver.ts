import { constants } from 'node:fs'
import { access, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { mapStrings } from '../lib/map-strings.ts'
import { type FormatName, formats, type Result } from '../report/index.ts'
import { noPaint } from '../report/paint.ts'
import type { Context } from './context.ts'
import { foldText, terminalWidth } from './fold-text.ts'
import { repeatOptions } from './repeat-options.ts'

/** What `--json` and `--format` say. */
export interface OutputFlags {
  readonly json?: true | undefined
  readonly format?: readonly Destination[] | undefined
}

/** `FORMAT` goes to stdout, `FORMAT=FILE` into a file. */
export interface Destination {
  readonly format: FormatName
  readonly file?: string
}

/** Writes a result where it was asked for: on stdout in one format, text unless another is named, and into files. */
export async function deliver(context: Context, flags: OutputFlags, result: Result): Promise<void> {
  if (stdoutFormat(flags) === 'json') context.out.writeJson(result.document)
  else {
    const text = result.text(context.out.paint)
    const prose = (): string => foldText(repeatOptions(text, context.given), terminalWidth(context.out))
    context.out.write(result.prose === true ? prose() : text)
  }
  for (const { format, file } of flags.format ?? [])
    if (file !== undefined) await writeWhole(file, contentFor(context, format, result))
}

/** Before anything is done on a host: whether what comes of it can be written where it was asked for. */
export async function checkDestinations({
  format = [],
  out,
}: OutputFlags & { readonly out?: string | undefined }): Promise<void> {
  for (const file of [...format.map((one) => one.file), out]) {
    if (file === undefined) continue
    try {
      await access(dirname(file), constants.W_OK)
    } catch (error) {
      throw notWritten(file, error, 'Nothing was done.')
    }
  }
}

function contentFor({ redactor, given }: Context, format: FormatName, result: Result): string {
  if (format === 'text')
    return redactor.redact(result.prose === true ? repeatOptions(result.text(noPaint), given) : result.text(noPaint))
  const safe = mapStrings(result.document, (one) => redactor.redact(one))
  return formats[format]({ ...result, document: safe })
}

/** Which format stdout gets; the last one named wins. */
export function stdoutFormat({ json, format }: OutputFlags): FormatName {
  if (json === true) return 'json'
  return format?.findLast((one) => one.file === undefined)?.format ?? 'text'
}

/** Whole or not at all; but what is no file (`/dev/null`, a pipe) is written to and never replaced. */
export async function writeWhole(file: string, content: string): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic')
  try {
    const found = await stat(file).catch(() => undefined)
    if (found === undefined || found.isFile()) await writeFileAtomic(file, content)
    else await writeFile(file, content)
  } catch (error) {
    throw notWritten(file, error, 'What was done on the hosts stays done.')
  }
}

function notWritten(file: string, error: unknown, consequence: string): ConvergeError {
  const why = error instanceof Error ? error.message.split(', ')[0] : String(error)
  return new ConvergeError('USAGE.OUTPUT_FILE', {
    summary: 'The result could not be written into a file.',
    why: `${file}: ${why}. ${consequence}`,
    next: ['Name a file in a folder that exists and that you may write to.'],
  })
}
