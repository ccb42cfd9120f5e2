import type { Action } from '../model/action.ts'
import type { DeleteStep, PutStep, RunStep, Step } from '../model/step.ts'
import type { KeyBefore } from './key-file.ts'
import { definitionUnchanged } from './linux-checks.ts'
import type { Rendered, RenderedFile } from './manager.ts'
import { keepDates, keepingDate, keepKey, keepPrevious, restoreKey, restorePrevious } from './previous-copy.ts'

/** Definitions are world-readable; each account can reach its own key through the folder of keys, but not list it. */
const folderModes = { definition: 0o755, keyFile: 0o711 } as const

/** The files as an action finds them. */
export interface FilesBefore {
  /** SHA-256 of the definition on disk; null: none; undefined: not observed. */
  readonly digest: string | null | undefined
  readonly key: KeyBefore
}

/** Writes the files of a definition, the key first, because the definition refers to it. Backs up what they replace. */
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

/** Checks whether the definition can be written and is valid; leaves nothing behind. */
export function rehearseDefinition({ definition }: Rendered, validate: NonNullable<PutStep['validate']>): PutStep {
  const step = putFile(definition, folderModes.definition)
  return { ...step, label: `validate the new ${definition.path}`, validate, rehearsal: true }
}

/** Rolls back the key file, and the definition if there was one; deletes a file only if there was none before. */
export function putFilesBack(rendered: Rendered, { digest, key }: FilesBefore): readonly (RunStep | DeleteStep)[] {
  const keys = keptKeys(rendered, key)
  const made = rendered.keyFile !== undefined && key.was === 'absent' ? [deletion(key.path)] : []
  if (digest === undefined || digest === null) return [...keys.map(restoreKey), ...made]
  return [restorePrevious([rendered.definition.path, ...keys], digest), ...made]
}

function keptKeys({ keyFile }: Rendered, key: KeyBefore): readonly string[] {
  return key.outdated || (keyFile !== undefined && key.was !== 'absent') ? [key.path] : []
}

/** Deletes a key file that is no longer used. */
export function dropKey({ path, outdated }: KeyBefore): readonly DeleteStep[] {
  return outdated ? [deletion(path)] : []
}

/** Its date shows whether a running server was started with it. */
function putKey(file: RenderedFile): PutStep {
  return { ...putFile(file, folderModes.keyFile), validate: keepingDate(file.path) }
}

function putFile({ path, content, mode, owner }: RenderedFile, folderMode: number): PutStep {
  const step = { do: 'put', label: `write ${path}`, guards: [], path, content, mode, folderMode } as const
  return owner === undefined ? step : { ...step, owner }
}

/** The same after a stop that was planned to include it. */
export function dropKeyOfStop({ changes }: Pick<Action, 'changes'>, key: KeyBefore): readonly DeleteStep[] {
  return changes.some(({ field, to }) => field === 'key_file' && to === null) ? dropKey(key) : []
}

export function deletion(path: string): DeleteStep {
  return { do: 'delete', label: `delete ${path}`, guards: [], path }
}
