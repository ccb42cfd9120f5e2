import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')

/** What builds leave, besides `dist/`. */
export const built = join(root, 'build')

/** Manual pages (`converge.1`, `converge-inventory.5`), which the build writes beside the bundle. */
export const manPages = join(root, 'dist/man')

/** Of the packages in the bundle. */
export const bundledLicences = join(root, 'dist/THIRD-PARTY-LICENSES.txt')

/** The Node that becomes a part of the single binary. */
export const nodeOfBinaries = join(built, 'node')

/** As Node calls this platform: `linux-x64`. */
export const platform = `${process.platform}-${process.arch}`

/** The package of that Node for this platform. */
export const nodePackage = join(
  nodeOfBinaries,
  'node_modules',
  process.platform === 'darwin' ? `node-bin-${platform}` : `node-${platform}`,
)

/** Reads what `npm run build` writes. Without it, a package would silently lack its licences or manual pages. */
export async function readBuilt<T>(path: string, read: (path: string) => Promise<T>): Promise<T> {
  try {
    return await read(path)
  } catch (error) {
    throw new Error(`${path} cannot be read: run \`npm run build\` first`, { cause: error })
  }
}
