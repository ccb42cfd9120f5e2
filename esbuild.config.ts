import { chmod, copyFile, rm } from 'node:fs/promises'
import { build, type Plugin } from 'esbuild'
import { describeCommandLine } from './src/cli/completion/describe.ts'

/** What completion knows of the command line is computed here, once, so that a completion loads no verb. */
const described: Plugin = {
  name: 'described command line',
  setup(building) {
    building.onLoad({ filter: /\/src\/cli\/completion\/described\.ts$/ }, async () => ({
      contents: `export const describedCommandLine = async () => (${JSON.stringify(await describeCommandLine())})`,
    }))
  },
}

/**
 * Bundles `src/main.ts` and everything it imports lazily into `dist/`, split so that `--version` loads a few kilobytes only.
 * ssh2 stays outside: it is CommonJS with optional native parts that find their own way.
 */
await rm('dist', { recursive: true, force: true })
await build({
  entryPoints: {
    main: 'src/main.ts',
    // What `converge demo` runs: by name, because their processes are started by it.
    'simulation/demo': 'simulation/demo/demo.ts',
    'simulation/model-server': 'simulation/model-server.ts',
    'simulation/kind-b/server': 'simulation/kind-b/server.ts',
    'simulation/kind-b/engine': 'simulation/kind-b/engine.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  sourcemap: true,
  legalComments: 'linked',
  external: ['ssh2'],
  plugins: [described],
  banner: {
    // What CommonJS packages in the bundle expect to be there.
    js: [
      "import { createRequire as __createRequire } from 'node:module';",
      "import { fileURLToPath as __fileURLToPath } from 'node:url';",
      "import { dirname as __dirnameOf } from 'node:path';",
      'const require = __createRequire(import.meta.url);',
      'const __filename = __fileURLToPath(import.meta.url);',
      'const __dirname = __dirnameOf(__filename);',
    ].join(''),
  },
  chunkNames: 'chunks/[name]-[hash]',
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
})
await copyFile('simulation/tool.pl', 'dist/simulation/tool.pl')
await chmod('dist/main.js', 0o755)
