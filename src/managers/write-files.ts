import type { DeleteStep, PutStep, Step } from '../model/step.ts'
import { definitionUnchanged } from './linux-checks.ts'
import type { Rendered, RenderedFile } from './manager.ts'
import { keepDates, keepPrevious, writtenPaths } from './previous-copy.ts'

/** Definitions may be listed by everyone; the folder of keys can be walked through by the account that has to read its own. */
const folderModes = { definition: 0o755, keyFile: 0o711 } as const

/**
 * The files of a definition, key first: what names a file must find it. What they replace is kept beside them.
 *
 * @param before SHA-256 of the definition on disk; null: there is none; undefined: that was not looked at
 */
export function writeFiles(
  rendered: Rendered,
  validate: NonNullable<PutStep['validate']>,
  before: string | null | undefined,
): readonly Step[] {
  const { definition, keyFile } = rendered
  const guards = before === undefined ? [] : [definitionUnchanged(definition.path, before)]
  const key = keyFile === undefined ? [] : [putFile(keyFile, folderModes.keyFile)]
  const files = [...key, { ...putFile(definition, folderModes.definition), guards, validate }]
  if (before === undefined || before === null) return files
  const paths = writtenPaths(rendered)
  return [keepPrevious(paths, before), ...files, keepDates(paths)]
}

function putFile({ path, content, mode, owner }: RenderedFile, folderMode: number): PutStep {
  const step = { do: 'put', label: `write ${path}`, guards: [], path, content, mode, folderMode } as const
  return owner === undefined ? step : { ...step, owner }
}

export function deletion(path: string): DeleteStep {
  return { do: 'delete', label: `delete ${path}`, guards: [], path }
}
