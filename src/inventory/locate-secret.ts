import type { SecretReference } from '../model/fleet.ts'

/** Relative secret files start at the inventory's folder, not at the current one. */
export function locateSecret(reference: SecretReference, folder: string): SecretReference {
  if (!('file' in reference) || /^[/~]/u.test(reference.file)) return reference
  return { file: folder === '' || folder === '.' ? reference.file : `${folder.replace(/\/$/u, '')}/${reference.file}` }
}
