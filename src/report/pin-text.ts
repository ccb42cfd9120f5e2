import prettyBytes from 'pretty-bytes'
import type { PinDocument } from '../model/pin-document.ts'
import { indent } from './indent.ts'
import { nextText } from './next-text.ts'
import type { Paint } from './paint.ts'
import { whyText } from './why-text.ts'

/** The pins, where each one is written, and the failures. No line of a file is shown: it can hold a secret. */
export function renderPins({ pins, failures, pinned }: Omit<PinDocument, 'schema' | 'written'>, paint: Paint): string {
  const rows = pins.map(
    ({ repo, from, commit, files, bytes, services, at }) =>
      `${paint(['green'], '~')} ${paint.hang}${paint(['bold'], repo)}  ${short(from)} → ${commit}  ${files === 1 ? 'one file' : `${files} files`}, ${prettyBytes(bytes, { binary: true })}  (${services.join(', ')})\n    ${at.file}:${at.line}`,
  )
  const troubles = failures.map(
    ({ repo, revision, code, why, next, services }) =>
      `${paint(['red'], `✗ ${paint.hang}${code}`)}  ${repo} at ${revision}  (${services.join(', ')})\n${indent(whyText(why))}\n${next.map((one) => `  next: ${paint.hang}${nextText(one, paint)}\n`).join('')}`,
  )
  const rest = pinned === 0 ? [] : [`${pinned === 1 ? 'One source has' : `${pinned} sources have`} a commit already.`]
  const nothing = rows.length + troubles.length + rest.length === 0 ? ['No selected service has a model.source.'] : []
  return [...rows, ...troubles, ...rest, ...nothing].map((line) => `${line.trimEnd()}\n`).join('')
}

function short(revision: string): string {
  return /^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 12) : revision
}
