import { execFileSync } from 'node:child_process'
import { type Form, forms } from '../src/model/version-document.ts'

/** The commit of the checkout, or of `CONVERGE_COMMIT` where there is no checkout any more; null: neither. */
function commitOf(root: URL, given = process.env['CONVERGE_COMMIT']): string | null {
  if (given !== undefined && given !== '') return given
  try {
    const text = execFileSync('git', ['rev-parse', '--verify', 'HEAD'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
    return text.toString().trim()
  } catch {
    return null
  }
}

/**
 * What a build says of itself, for `define` of esbuild. A packager sets `CONVERGE_BUILD_FORM` for the build; a plain build is a checkout.
 * A wrapper around a finished build sets `CONVERGE_FORM` when it runs it (`src/context/build.ts`).
 */
export function identity(given = process.env['CONVERGE_BUILD_FORM'] ?? 'checkout'): Readonly<Record<string, string>> {
  const form: Form | undefined = forms.find((one) => one === given)
  if (form === undefined) throw new Error(`CONVERGE_BUILD_FORM=${given}: the forms are ${forms.join(', ')}`)
  const commit = commitOf(new URL('..', import.meta.url))
  if (commit !== null && !/^[0-9a-f]{40}$/.test(commit)) throw new Error(`${commit} is no commit`)
  return { CONVERGE_BUILD: JSON.stringify({ form, commit }) }
}
