import type { Action } from '../model/action.ts'
import type { DeleteStep, PutStep, RunStep, Step } from '../model/step.ts'
import type { KeyBefore } from './key-file.ts'
import { definitionUnchanged } from './linux-checks.ts'
import type { Rendered, RenderedFile } from './manager.ts'
import { keepDates, keepingDate, keepKey, keepPrevious, restoreKey, restorePrevious } from './previous-copy.ts'

/** Definitions may be listed by everyone; the folder of keys can be walked through by the account that has to read its own. */
const folderModes = { definition: 0o755, keyFile: 0o711 } as const

/** What an action finds before it writes. */
export interface FilesBefore {
  /** SHA-256 of the definition on disk; null: there is none; undefined: that was not looked at. */
  readonly digest: string | null | undefined
  readonly key: KeyBefore
}

/** The files of a definition, key first: what names a file must find it. What they replace is kept beside them. */
export function writeFiles(
  rendered: Rendered,
  validate: NonNullable<PutStep['validate']>,
  { digest, key }: FilesBefore,
): readonly Step[] {
  const { definition, keyFile } = rendered
  const guards = digest === undefined ? [] : [definitionUnchanged(definition.path, digest)]
  const written = { ...putFile(definition, folderModes.definition), guards, validate }
  const puts = keyFile === undefined ? [written] : [putKey(keyFile), written]
  const keys = keptKeys(rendered, key)
  if (digest === undefined || digest === null) return [...keys.map((path) => keepKey(path, guards)), ...puts]
  return [keepPrevious([definition.path, ...keys], digest), ...puts, keepDates([definition.path])]
}

/** Whether the definition could be written, and would be taken by its reader; nothing of it stays. */
export function rehearseDefinition({ definition }: Rendered, validate: NonNullable<PutStep['validate']>): PutStep {
  const step = putFile(definition, folderModes.definition)
  return { ...step, label: `validate the new ${definition.path}`, validate, rehearsal: true }
}

/** The key file's rollback, and the definition's where there was one: each as it was, and away only where nothing was. */
export function putFilesBack(rendered: Rendered, { digest, key }: FilesBefore): readonly (RunStep | DeleteStep)[] {
  const keys = keptKeys(rendered, key)
  const made = rendered.keyFile !== undefined && key.was === 'absent' ? [deletion(key.path)] : []
  if (digest === undefined || digest === null) return [...keys.map(restoreKey), ...made]
  return [restorePrevious([rendered.definition.path, ...keys], digest), ...made]
}

function keptKeys({ keyFile }: Rendered, key: KeyBefore): readonly string[] {
  return key.outdated || (keyFile !== undefined && key.was !== 'absent') ? [key.path] : []
}

/** A key that is delivered otherwise by now does not stay behind in its file. */
export function dropKey({ path, outdated }: KeyBefore): readonly DeleteStep[] {
  return outdated ? [deletion(path)] : []
}

/** Its date tells whether a running server was started with it. */
function putKey(file: RenderedFile): PutStep {
  return { ...putFile(file, folderModes.keyFile), validate: keepingDate(file.path) }
}

function putFile({ path, content, mode, owner }: RenderedFile, folderMode: number): PutStep {
  const step = { do: 'put', label: `write ${path}`, guards: [], path, content, mode, folderMode } as const
  return owner === undefined ? step : { ...step, owner }
}

/** The same behind a stop that was planned to take it along. */
export function dropKeyOfStop({ changes }: Pick<Action, 'changes'>, key: KeyBefore): readonly DeleteStep[] {
  return changes.some(({ field, to }) => field === 'key_file' && to === null) ? dropKey(key) : []
}

export function deletion(path: string): DeleteStep {
  return { do: 'delete', label: `delete ${path}`, guards: [], path }
}
