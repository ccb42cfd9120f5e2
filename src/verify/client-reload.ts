import { defined } from '../lib/defined.ts'
import { shorten } from './shorten.ts'
import type { Verdict } from './smoke-deps.ts'

const timeoutMs = 60_000

/**
 * Makes the client application reload its model list, on this machine and without a shell, and checks in its output whether it sees the model.
 *
 * @param argv `fleet.client.reload`; absent: no client
 */
export async function checkClient(
  argv: readonly string[] | undefined,
  alias: string,
  signal: AbortSignal | undefined,
): Promise<Verdict> {
  const [file, ...args] = argv ?? []
  if (file === undefined) return { ok: true, detail: 'no client is configured', skipped: 'no client is configured' }
  const { execa } = await import('execa')
  const cancel = defined({ cancelSignal: signal })
  const result = await execa(file, args, { reject: false, timeout: timeoutMs, all: true, stdin: 'ignore', ...cancel })
  const command = [file, ...args].join(' ')
  const output = result.all ?? ''
  if (result.failed)
    return { ok: false, detail: `${command} failed: ${shorten(output === '' ? (result.shortMessage ?? '') : output)}` }
  return readClient(output, alias)
}

/** The line with the alias decides: it must exist, and must not show the badge of an unreachable model. */
export function readClient(output: string, alias: string): Verdict {
  const lines = output.split('\n').filter((line) => wordsOf(line).includes(alias))
  if (lines.length === 0) return { ok: false, detail: `the client does not show ${alias}: ${shorten(output)}` }
  const offline = lines.find((line) => line.includes('(offline)'))
  if (offline !== undefined) return { ok: false, detail: `the client cannot reach it: ${shorten(offline)}` }
  return { ok: true, detail: `the client shows ${alias}` }
}

/** Names without list punctuation. */
function wordsOf(line: string): readonly string[] {
  return line.split(/[\s,;|"'`()[\]{}*]+/).map((word) => word.replace(/[:.]+$/, ''))
}
