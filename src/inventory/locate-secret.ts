import type { SecretReference } from '../model/fleet.ts'

/** A relative file of a secret lies below the inventory's folder, wherever converge is called from. */
export function locateSecret(reference: SecretReference, folder: string): SecretReference {
  if (!('file' in reference) || /^[/~]/u.test(reference.file)) return reference
  return { file: folder === '' || folder === '.' ? reference.file : `${folder.replace(/\/$/u, '')}/${reference.file}` }
}
