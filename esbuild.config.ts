import { chmod, copyFile, rm } from 'node:fs/promises'
import { build } from 'esbuild'
import { bundled, demoEntries } from './packaging/bundle.ts'

/** Bundles `src/main.ts` and everything it imports lazily into `dist/`, split so that `--version` loads a few kilobytes only. */
await rm('dist', { recursive: true, force: true })
await build({
  ...bundled,
  entryPoints: { main: 'src/main.ts', ...demoEntries },
  outdir: 'dist',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
})
await copyFile('simulation/tool.pl', 'dist/simulation/tool.pl')
await chmod('dist/main.js', 0o755)
