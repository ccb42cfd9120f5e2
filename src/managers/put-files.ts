import type { DeleteStep, PutStep, Step } from '../model/step.ts'
import type { Rendered, RenderedFile } from './manager.ts'

/** Definitions may be listed by everyone; the folder of keys can be walked through by the account that has to read its own. */
const folderModes = { definition: 0o755, keyFile: 0o711 } as const

/**
 * The files of a definition, key first: what names a file must find it.
 *
 * @param guards tested right before the definition is replaced
 */
export function putFiles(
  { definition, keyFile }: Rendered,
  validate: PutStep['validate'],
  guards: PutStep['guards'],
): readonly Step[] {
  const put = putFile(definition, folderModes.definition, guards)
  const last: PutStep = validate === undefined ? put : { ...put, validate }
  if (keyFile === undefined) return [last]
  return [putFile(keyFile, folderModes.keyFile, []), last]
}

function putFile({ path, content, mode, owner }: RenderedFile, folderMode: number, guards: PutStep['guards']): PutStep {
  const step = { do: 'put', label: `write ${path}`, guards, path, content, mode, folderMode } as const
  return owner === undefined ? step : { ...step, owner }
}

export function deletion(path: string): DeleteStep {
  return { do: 'delete', label: `delete ${path}`, guards: [], path }
}
