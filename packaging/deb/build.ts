import { createHash } from 'node:crypto'
import { chmod, copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { execa } from 'execa'
import { version } from '../../src/context/version.ts'
import { licenceText } from '../binary/licences.ts'
import { built, root } from '../paths.ts'
import { debianCompletions, layPrefix } from '../prefix.ts'
import { sourceDate } from '../reproducible.ts'

/**
 * Builds `build/converge_VERSION-1_ARCHITECTURE.deb` from a single binary of its own: `build.ts [BINARY]`. Two builds from one binary are
 * equal. `DEB_COMPRESSION=none` is for tests, which unpack it once.
 */
const architecture = process.arch === 'x64' ? 'amd64' : process.arch
// A pre-release is older than its release: dpkg sorts `~` before everything.
const revision = `${version.replace('-', '~')}-1`
const tree = join(built, 'deb.parts')
/** A publisher sets an address at which mail is read, as for other tools of Debian. */
const maintainer = `${process.env['DEBFULLNAME'] ?? 'converge'} <${process.env['DEBEMAIL'] ?? 'nobody@localhost'}>`
const date = await sourceDate()
const { DEB_COMPRESSION: compression = 'xz' } = process.env

await rm(tree, { recursive: true, force: true })
await layPrefix(join(tree, 'usr'), process.argv[2] ?? (await ownBinary()), debianCompletions)
await compressPages()
await writeDocuments()
await writeControl()
await settle()
const deb = join(built, `converge_${revision}_${architecture}.deb`)
await execa('dpkg-deb', ['--root-owner-group', `-Z${compression}`, '--build', tree, deb], {
  env: { SOURCE_DATE_EPOCH: String(date) },
})
await rm(tree, { recursive: true })
process.stdout.write(`${deb}\n`)

/** It says of itself that a deb installed it. */
async function ownBinary(): Promise<string> {
  const binary = join(built, 'deb.binary')
  await execa('node', ['packaging/binary/build.ts', binary], {
    cwd: root,
    env: { CONVERGE_BUILD_FORM: 'deb' },
    stderr: 'inherit',
  })
  return binary
}

async function compressPages(): Promise<void> {
  for (const page of (await files()).filter((file) => file.startsWith('usr/share/man/'))) {
    await writeFile(join(tree, `${page}.gz`), compressed(await readFile(join(tree, page))))
    await rm(join(tree, page))
  }
}

async function writeDocuments(): Promise<void> {
  const folder = join(tree, 'usr/share/doc/converge')
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'copyright'),
    `${await readFile(join(import.meta.dirname, 'copyright'), 'utf8')}\n${await licenceText()}`,
  )
  await writeFile(join(folder, 'changelog.gz'), compressed(await readFile(join(root, 'CHANGELOG.md'))))
  const day = new Date(date * 1000).toUTCString().replace('GMT', '+0000')
  const entry = `converge (${revision}) unstable; urgency=medium\n\n  * Release ${version}: see changelog.gz.\n\n -- ${maintainer}  ${day}\n`
  await writeFile(join(folder, 'changelog.Debian.gz'), compressed(entry))
  const overrides = join(tree, 'usr/share/lintian/overrides')
  await mkdir(overrides, { recursive: true })
  await copyFile(join(import.meta.dirname, 'lintian-overrides'), join(overrides, 'converge'))
}

/** With the digests by which `dpkg --verify` compares what is installed. */
async function writeControl(): Promise<void> {
  const names = await files()
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(tree, name))).size))
  const kibibytes = sizes.reduce((sum, size) => sum + Math.ceil(size / 1024), 0)
  const template = await readFile(join(import.meta.dirname, 'control'), 'utf8')
  const values: Readonly<Record<string, string>> = {
    VERSION: revision,
    ARCHITECTURE: architecture,
    MAINTAINER: maintainer,
    SIZE: String(kibibytes),
  }
  const sums = await Promise.all(names.map(async (name) => `${md5(await readFile(join(tree, name)))}  ${name}\n`))
  await mkdir(join(tree, 'DEBIAN'))
  await writeFile(
    join(tree, 'DEBIAN/control'),
    template.replaceAll(/@(\w+)@/g, (_, name: string) => values[name] ?? ''),
  )
  await writeFile(join(tree, 'DEBIAN/md5sums'), sums.join(''))
}

/** Modes that do not depend on who builds it; dpkg-deb does the same with owners and times. */
async function settle(): Promise<void> {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    await chmod(path, entry.isDirectory() || path.endsWith('/bin/converge') ? 0o755 : 0o644)
  }
  await chmod(tree, 0o755)
}

async function files(): Promise<readonly string[]> {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(tree, join(entry.parentPath, entry.name)))
    .toSorted()
}

function compressed(content: string | Buffer): Buffer {
  return gzipSync(content, { level: 9 })
}

function md5(content: Buffer): string {
  return createHash('md5').update(content).digest('hex')
}
