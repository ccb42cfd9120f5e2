/** What a release is checked against, and what is said of it. */
export interface Release {
  /** `v1.2.3` */
  readonly tag: string
  /** The version in package.json. */
  readonly manifest: string
  /** `owner/name`, as package.json has it, and where this runs; undefined: it runs in no workflow. */
  readonly repository: { readonly named: string; readonly here: string | undefined }
  /** Of `src/context/version.ts`. */
  readonly source: { readonly version: string; readonly date: string }
  readonly changelog: string
  /** As `git status --porcelain` prints it. */
  readonly changes: string
  /** Pages for users, by their names. */
  readonly pages: Readonly<Record<string, string>>
}

interface Entry {
  readonly date: string | undefined
  readonly notes: string
}

/** The part of the changelog about a version, or `Unreleased`. */
export function entryOf(changelog: string, version: string): Entry | undefined {
  for (const part of changelog.split(/^## /m).slice(1)) {
    const [head = '', ...lines] = part.split('\n')
    const [, name, date] = /^\[?([^\s\]]+)\]?(?: - (\d{4}-\d\d-\d\d))?$/.exec(head.trim()) ?? []
    if (name === version) return { date, notes: `${lines.join('\n').trim()}\n` }
  }
  return undefined
}

/** Why this tag may not be released; empty: it may. */
export function faultsOf({ tag, manifest, repository, source, changelog, changes, pages }: Release): readonly string[] {
  const version = /^v(\d+\.\d+\.\d+(?:-[a-z0-9.]+)?)$/.exec(tag)?.[1]
  if (version === undefined) return [`the tag ${tag} is not v and a version, as in v1.2.3`]
  const entry = entryOf(changelog, version)
  const { named, here } = repository
  const outdated = Object.keys(pages).filter((name) =>
    /\bNo (version|release) is (released|published) yet\b/.test(pages[name] ?? ''),
  )
  const faults: readonly (readonly [boolean, string])[] = [
    [manifest !== version, `package.json has version ${manifest}`],
    [
      named.startsWith('OWNER/'),
      `package.json has the repository ${named}: put the owner in the place of OWNER, there and in docs/ci.md`,
    ],
    [here !== undefined && here !== named, `package.json has the repository ${named}, and this is ${here}: npm would refuse it`],
    [source.version !== version, `src/context/version.ts has version ${source.version}`],
    [entry === undefined, `CHANGELOG.md has no heading "## ${version} - YYYY-MM-DD"`],
    [
      entry !== undefined && entry.date !== source.date,
      `CHANGELOG.md has the date ${entry?.date}, src/context/version.ts ${source.date}`,
    ],
    [entry?.notes.trim() === '', `CHANGELOG.md says nothing of ${version}`],
    [outdated.length > 0, `${outdated.join(', ')}: says that nothing is released yet`],
    [changes !== '', `the tree is not clean:\n${changes}`],
  ]
  return faults.flatMap(([applies, words]) => (applies ? [words] : []))
}
