import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

/** Whose code the generated validators in `src/generated/` contain: they are bundled before this bundle, by `npm run generate`. */
const inGeneratedCode = ['ajv', 'ajv-formats', 'fast-deep-equal'].map((name) => `node_modules/${name}`)

/** The folders of all packages of which anything is in the bundle. */
export function bundledPackages({ outputs }: Metafile): readonly string[] {
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs))
  const folders = files.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])
  return [...new Set([...folders, ...inGeneratedCode])].toSorted()
}

/** The licence of each package and all that it wants to be said, as one text; rejects if a package has none. */
export async function thirdPartyLicences(root: string, folders: readonly string[]): Promise<string> {
  const chapters = await Promise.all(folders.map((folder) => chapterOf(join(root, folder))))
  const line = '-'.repeat(80)
  return `${introduction}\n${[...new Set(chapters)]
    .toSorted()
    .map((chapter) => `${line}\n${chapter}`)
    .join('\n')}`
}

const introduction = `converge is under the Apache License 2.0, in the file LICENSE beside dist/. Its program contains code of the packages below, each under its
own licence.
`

async function chapterOf(folder: string): Promise<string> {
  const { name, version, license, licenses }: Manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice|authors)/i.test(file)).toSorted()
  if (!files.some((file) => /^(licen[cs]e|copying)/i.test(file))) throw new Error(`${folder} has no licence to pass on`)
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  const kind = license ?? licenses?.map(({ type }) => type).join(', ')
  return `${name} ${version} (${kind})\n\n${texts.map((text) => `${text.replaceAll('\r', '').trim()}\n`).join('\n')}`
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  /** As packages of long ago have it. */
  readonly licenses?: readonly { readonly type: string }[]
}
