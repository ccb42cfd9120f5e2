import type { SourceFile } from './source-file.ts'

/** What `converge explain` knows of one code. */
export interface Explained {
  readonly code: string
  readonly title: string
  readonly explain: string
}

/** Codes that more than one place lays claim to. */
export function duplicates(codes: readonly string[]): readonly string[] {
  return [...new Set(codes.filter((code, index) => codes.indexOf(code) !== index))].map((code) => `${code}: is there twice`)
}

/** The codes that a file of the catalogue defines: its keys, because a spread would hide that two files define the same. */
export function definedCodes(file: SourceFile): readonly string[] {
  return [...file.withoutComments.matchAll(/^\s*(['"])([A-Z0-9_.]+)\1\s*:/gm)].map((match) => match[2] ?? '')
}

export function undocumented(entries: readonly Explained[]): readonly string[] {
  return entries.flatMap(({ code, title, explain }) => [
    ...(/^[A-Z]+\.[A-Z][A-Z_]*$/.test(code) ? [] : [`${code}: is not written STAGE.WHAT`]),
    ...(title.trim() === '' ? [`${code}: has no title`] : []),
    ...(explain.trim().length < 20 || !/[.`]$/.test(explain.trim()) ? [`${code}: is not explained in sentences`] : []),
  ])
}

/** Codes that no file outside the catalogue names. */
export function unraised(codes: readonly string[], files: readonly SourceFile[]): readonly string[] {
  const text = files.filter((file) => !file.path.startsWith('src/errors/codes/')).map((file) => file.withoutComments)
  return codes
    .filter((code) => !text.some((one) => one.includes(`'${code}'`) || one.includes(`"${code}"`)))
    .map((code) => `${code}: is raised nowhere`)
}

/** Rules that lack an example of a refusal or of what they let pass. */
export function unprovenRules(codes: readonly string[], fixtures: readonly string[]): readonly string[] {
  return codes.flatMap((code) =>
    ['refuses', 'allows']
      .filter(
        (what) =>
          !fixtures.some((path) => path.startsWith(`test/fixtures/policy/${code}/${what}-`) && /\.(?:ya?ml|json)$/.test(path)),
      )
      .map((what) => `${code}: has no fixture test/fixtures/policy/${code}/${what}-*`),
  )
}

/** Files that define a rule which the registry does not hold. */
export function unregisteredRules(codes: readonly string[], files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => file.path.startsWith('src/policy/'))
    .flatMap((file) =>
      [...file.withoutComments.matchAll(/^\s+code: '([A-Z_.]+)',$/gm)].map((match) => [file.path, match[1] ?? ''] as const),
    )
    .filter(([, code]) => !codes.includes(code))
    .map(([path, code]) => `${path}: ${code} is not in src/policy/index.ts`)
}
