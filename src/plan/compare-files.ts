import { seenFile } from '../facts/asked-path.ts'
import { textDiff } from '../lib/text-diff.ts'
import { restartOf } from '../managers/compare-fields.ts'
import { holdsServer } from '../managers/holds-server.ts'
import type { Rendered, RenderedFile, ServiceState } from '../managers/manager.ts'
import { oneBySetting } from '../managers/one-by-setting.ts'
import type { FieldChange } from '../model/action.ts'
import type { Layout } from '../model/facts.ts'
import { known, mapObserved, type Observed } from '../model/observed.ts'
import { redactedText } from '../model/secret.ts'
import { digestOfDefinition, saltedDigestOfText, shortDigest } from '../simulate/digest.ts'
import type { ServiceCase } from '../simulate/service-case.ts'

/** The desired files compared with those on the host's disk. */
export interface FileComparison {
  /** What must be written; empty: both files are up to date. */
  readonly changes: readonly FieldChange[]
  /** Those changes that give a running server another key. */
  readonly keyChanges: readonly FieldChange[]
  /** Unified and redacted; absent if the visible texts are equal. */
  readonly diff?: string
  /** SHA-256 of the desired definition. */
  readonly digest: string
}

export function compareFiles(
  subject: ServiceCase,
  state: ServiceState,
  rendered: Rendered,
  layout: Layout,
): Observed<FileComparison> {
  const digest = digestOfDefinition(rendered.definition)
  const text = redactedText(rendered.definition.content)
  const diff = diffOf(rendered.definition.path.replace(/^\//, ''), state.definitionContent, text)
  return mapObserved(compareKeyFile(subject, rendered.keyFile, layout), (keyFile) => {
    const definition = compareDefinition(subject, state, { file: rendered.definition, digest, text, layout })
    const keyChanges = [...definition.filter((change) => change.field === inlineKey), ...keyFile.filter(isRestart)]
    const changes = [...definition, ...keyFile]
    return {
      changes: holdsServer(state) ? changes : changes.map((change) => ({ ...change, effect: 'none' as const })),
      keyChanges,
      ...(diff === '' ? {} : { diff }),
      digest,
    }
  })
}

const inlineKey = 'definition.key'

function compareDefinition(
  subject: ServiceCase,
  state: ServiceState,
  desired: { readonly file: RenderedFile; readonly digest: string; readonly text: string; readonly layout: Layout },
): readonly FieldChange[] {
  const { service, manager } = subject
  if (state.definitionDigest === desired.digest) return compareMode(subject, desired.file, desired.layout)
  // The redacted texts are equal but the bytes differ: with inline delivery, the key is part of the definition.
  if (state.definitionContent === desired.text) {
    return [{ field: inlineKey, from: '***', to: '*** (a different key)', effect: restartOf(service.kind) }]
  }
  const to = shortDigest(desired.digest)
  if (state.definitionContent === null) return [{ field: 'definition', from: null, to, effect: 'reload' }]
  const fields = oneBySetting(manager.compareDefinitions(state.definitionContent, desired.text, service), service.kind)
  if (fields.length > 0) return fields
  const from = state.definitionDigest === null ? null : shortDigest(state.definitionDigest)
  return [{ field: 'definition', from, to, effect: 'reload' }]
}

/** A file with a key must not be readable by everyone, so its mode counts even if its bytes are equal. */
function compareMode(subject: ServiceCase, file: RenderedFile, layout: Layout): readonly FieldChange[] {
  const seen = seenFile(subject.facts.definitions, { path: file.path, asked: subject.question.definitions, layout })
  if (!seen.known || seen.value === null) return []
  return modeChange('definition.mode', seen.value.mode, file.mode)
}

function compareKeyFile(subject: ServiceCase, file: RenderedFile | undefined, layout: Layout): Observed<readonly FieldChange[]> {
  if (file === undefined) return known([])
  const seen = seenFile(subject.facts.keyFiles, { path: file.path, asked: subject.question.keyFiles, layout })
  const effect = restartOf(subject.service.kind)
  return mapObserved(seen, (found): readonly FieldChange[] => {
    if (found === null) return [{ field: 'key_file', from: null, to: '***', effect }]
    const desired = saltedDigestOfText(subject.facts.salt, file.content)
    if (found.saltedDigest !== desired) return [{ field: 'key_file', from: '***', to: '*** (a different key)', effect }]
    return modeChange('key_file.mode', found.mode, file.mode)
  })
}

function modeChange(field: string, from: number, to: number): readonly FieldChange[] {
  const bits = from & 0o7777
  return bits === to ? [] : [{ field, from: octal(bits), to: octal(to), effect: 'none' }]
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}

function isRestart(change: FieldChange): boolean {
  return change.effect === 'cheap-restart' || change.effect === 'costly-restart'
}

/** In a new file every line is an addition. A real diff would slow down the first plan of a fleet. */
function diffOf(name: string, from: string | null, to: string): string {
  if (from !== null) return textDiff(name, from, to)
  const lines = to.replace(/\n$/, '').split('\n')
  return `--- /dev/null\n+++ b/${name}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`
}
