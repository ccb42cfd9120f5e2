import { join } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'
import { describeCommandLine } from '../src/cli/completion/describe.ts'
import { identity } from './identity.ts'

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
 * ssh2 works without its native parts, but tries to load them: from beside the bundle, and from any `node_modules` above it. Whatever
 * happens to lie there is not ours to run, so both attempts fail in the bundle.
 */
const withoutNativeParts: Plugin = {
  name: 'without native parts',
  setup(building) {
    building.onResolve({ filter: /\.node$|^cpu-features$/ }, ({ path }) => ({ path, namespace: 'native' }))
    building.onLoad({ filter: /.*/, namespace: 'native' }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} is native, and not part of the bundle`)})`,
    }))
  },
}

/** What CommonJS packages in the bundle expect to be there. */
const commonJsNames = [
  "import { createRequire as __createRequire } from 'node:module';",
  "import { fileURLToPath as __fileURLToPath } from 'node:url';",
  "import { dirname as __dirnameOf } from 'node:path';",
  'const require = __createRequire(import.meta.url);',
  'const __filename = __fileURLToPath(import.meta.url);',
  'const __dirname = __dirnameOf(__filename);',
].join('')

/** How every form of the program is bundled: nothing stays outside but Node, and the folder it is built in leaves no trace. */
export const bundled = {
  absWorkingDir: join(import.meta.dirname, '..'),
  // A checkout that borrows its packages through a link builds the same bytes.
  preserveSymlinks: true,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // A quarter smaller. Names stay, and lines of a length that one can point at: both are in the stack trace of a bug.
  minifyWhitespace: true,
  lineLimit: 130,
  // Of all bundled packages, licences and copyright are in one file.
  legalComments: 'none',
  plugins: [described, withoutNativeParts],
  banner: { js: commonJsNames },
  define: { 'process.env.NODE_ENV': '"production"', ...identity() },
  logLevel: 'warning',
} as const satisfies BuildOptions

/** What `converge demo` runs, by name, because their processes are started by it; without the Perl that is copied beside them. */
export const demoEntries = {
  'simulation/demo': 'simulation/demo/demo.ts',
  'simulation/model-server': 'simulation/model-server.ts',
  'simulation/kind-b/server': 'simulation/kind-b/server.ts',
  'simulation/kind-b/engine': 'simulation/kind-b/engine.ts',
}
