import { type Build, forms, type VersionDocument } from '../model/version-document.ts'
import { version } from './version.ts'

/** Put here by the build (`packaging/identity.ts`). */
declare const CONVERGE_BUILD: Build | undefined

const here: Build = typeof CONVERGE_BUILD === 'undefined' ? { form: 'checkout', commit: null } : CONVERGE_BUILD

/** One build serves several packages: their wrappers set `CONVERGE_FORM`. A checkout is always a checkout. */
export function versionDocument(
  { env, versions, platform, arch }: Pick<NodeJS.Process, 'env' | 'versions' | 'platform' | 'arch'>,
  { form: built, commit }: Build = here,
): VersionDocument {
  const wrapped = forms.find((one) => one === env['CONVERGE_FORM'])
  const form = built === 'checkout' ? built : (wrapped ?? built)
  return { schema: 'converge/version/v1', version, commit, form, node: versions.node, platform, arch }
}
