import { ConvergeError } from '../errors/converge-error.ts'
import { type FormatName, formats, type Result } from '../report/index.ts'
import { noPaint } from '../report/paint.ts'
import type { Context } from './context.ts'
import { foldText, terminalWidth } from './fold-text.ts'

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
  const onStdout = stdoutFormat(flags)
  const shown = formats[onStdout](result, context.out.paint)
  context.out.write(onStdout === 'text' && result.prose === true ? foldText(shown, terminalWidth(context.out)) : shown)
  for (const { format, file } of flags.format ?? [])
    if (file !== undefined) await writeResult(context, file, formats[format](result, noPaint))
}

/** Which format stdout gets; the last one named wins. */
export function stdoutFormat({ json, format }: OutputFlags): FormatName {
  if (json === true) return 'json'
  return format?.findLast((one) => one.file === undefined)?.format ?? 'text'
}

async function writeResult(context: Context, file: string, content: string): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic')
  try {
    await writeFileAtomic(file, context.redactor.redact(content))
  } catch (error) {
    throw new ConvergeError('USAGE.OUTPUT_FILE', {
      summary: 'The result could not be written into a file.',
      why: `${file}: ${error instanceof Error ? error.message.split(', ')[0] : String(error)}. What was done on the hosts stays done.`,
      next: ['Name a file in a folder that exists and that you may write to.'],
    })
  }
}
