import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { version } from '../../src/context/version.ts'
import { licenceText } from '../binary/licences.ts'
import { built, platform, root } from '../paths.ts'
import { layPrefix } from '../prefix.ts'
import { sameEverywhere, sourceDate } from '../reproducible.ts'

/**
 * Packs `build/converge` with its manual pages and completions: `build/converge-VERSION-PLATFORM.tar.gz`, which `packaging/install.sh` unpacks
 * below a prefix. It needs GNU tar, which is `gtar` on a Mac. `ARCHIVE_LEVEL=1` is for tests, which unpack it once.
 */
const name = `converge-${version}-${platform}`
const folder = join(built, `${name}.parts`)
const archive = join(built, `${name}.tar.gz`)
await rm(folder, { recursive: true, force: true })
await mkdir(join(folder, name), { recursive: true })
await layPrefix(join(folder, name), process.argv[2] ?? join(built, 'converge'))
await cp(join(root, 'LICENSE'), join(folder, name, 'LICENSE'))
await writeFile(join(folder, name, 'THIRD-PARTY-LICENSES'), await licenceText())
const { ARCHIVE_LEVEL: level = '9' } = process.env
const tar = process.platform === 'darwin' ? 'gtar' : 'tar'
const options = [...sameEverywhere(await sourceDate()), `--use-compress-program=gzip -n -${level}`]
await execa(tar, ['-C', folder, ...options, '-cf', archive, name])
await rm(folder, { recursive: true })
process.stdout.write(`${archive}\n`)
