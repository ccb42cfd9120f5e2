import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'

const root = join(import.meta.dirname, '../..')

/** The package as npm would publish it, and as it lies after an installation. */
export interface InstalledPackage extends AsyncDisposable {
  readonly tarball: Tarball
  /** Of a global installation, which nothing else is in. */
  readonly prefix: string
  /** What npm said while it installed. */
  readonly said: string
}

interface Tarball {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

/** Packs `dist/` as it is, and installs it where there was nothing, without a network. */
export async function installPackage(): Promise<InstalledPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'package-'))
  const prefix = join(folder, 'prefix')
  await mkdir(prefix)
  const npm = async (cwd: string, ...args: readonly string[]): Promise<string> => {
    const env = { PATH: process.env['PATH'], HOME: folder }
    const { stdout, stderr } = await execa('npm', [...args, '--offline'], { cwd, env, extendEnv: false })
    return `${stdout}${stderr}`
  }
  const packed = JSON.parse(await npm(root, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder))
  // A list, or in newer versions of npm an object.
  const [tarball] = Object.values<Tarball>(packed)
  if (tarball === undefined) throw new Error(`npm packed nothing: ${JSON.stringify(packed)}`)
  const said = await npm(
    folder,
    'install',
    '--global',
    '--prefix',
    prefix,
    '--foreground-scripts',
    join(folder, tarball.filename),
  )
  return { tarball, prefix, said, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
