import { chmod, rm } from 'node:fs/promises'
import { build } from 'esbuild'

/**
 * Bundles `src/main.ts` and everything it imports lazily into `dist/`, split so that `--version` loads a few kilobytes only.
 * ssh2 stays outside: it is CommonJS with optional native parts that find their own way.
 */
await rm('dist', { recursive: true, force: true })
await build({
  entryPoints: { main: 'src/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  sourcemap: true,
  legalComments: 'linked',
  external: ['ssh2'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
  },
  chunkNames: 'chunks/[name]-[hash]',
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
})
await chmod('dist/main.js', 0o755)
