import { chmod, copyFile, rm, writeFile } from 'node:fs/promises'
import { build } from 'esbuild'
import { writeManPages } from './docs/generate/man/pages.ts'
import { bundled, demoEntries } from './packaging/bundle.ts'
import { bundledPackages, thirdPartyLicences } from './packaging/licences.ts'

/** Bundles `src/main.ts` and everything it imports lazily into `dist/`, split so that `--version` loads a few kilobytes only. */
await rm('dist', { recursive: true, force: true })
const { metafile } = await build({
  ...bundled,
  entryPoints: { main: 'src/main.ts', ...demoEntries },
  outdir: 'dist',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  metafile: true,
})
await copyFile('simulation/tool.pl', 'dist/simulation/tool.pl')
await writeFile('dist/THIRD-PARTY-LICENSES.txt', await thirdPartyLicences(import.meta.dirname, bundledPackages(metafile)))
await chmod('dist/main.js', 0o755)
await writeManPages(new URL('dist/man/', import.meta.url))
