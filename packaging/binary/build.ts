import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { execa } from 'execa'
import { bundled } from '../bundle.ts'
import { built, nodePackage, root } from '../paths.ts'
import { installNode } from './install-node.ts'

/** The binary has its code compiled in it, and makes no folder in the home of the user. */
const withoutCache: Plugin = {
  name: 'without a compile cache',
  setup(building) {
    building.onLoad({ filter: /\/src\/cli\/compile-cache\.ts$/ }, () => ({
      contents: 'export const keepCompiled = () => undefined',
    }))
  },
}

/** A bundle in one file would load every part of Node that any command uses before the first line runs: half of the time of `--version`. */
const builtinsWhenNeeded: Plugin = {
  name: 'parts of Node when they are needed',
  setup(building) {
    building.onResolve({ filter: /^[\w:/]+$/ }, ({ path, kind }) => {
      if (!isBuiltin(path)) return undefined
      return kind === 'require-call' ? { path, external: true } : { path, namespace: 'builtin' }
    })
    building.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/** Builds the single binary for the platform that this runs on: a Node, with converge in it. `build.ts [FILE]`; default: `build/converge`. */
const program = resolve(process.argv[2] ?? join(built, 'converge'))
const nodeProgram = join(nodePackage, 'bin/node')
const folder = `${program}.parts`
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
await installNode()
await build({
  ...bundled,
  entryPoints: [join(import.meta.dirname, 'main.ts')],
  outfile: join(folder, 'converge.mjs'),
  target: 'node26',
  plugins: [...bundled.plugins, withoutCache, builtinsWhenNeeded],
})
await copyFile(join(root, 'simulation/tool.pl'), join(folder, 'tool.pl'))
const config = {
  // Relative names, for the first one becomes a part of the binary, and two builds should be equal.
  main: 'converge.mjs',
  mainFormat: 'module',
  output: 'converge',
  executable: nodeProgram,
  useCodeCache: true,
  disableExperimentalSEAWarning: true,
  // NODE_OPTIONS are for the Node of this machine; this one may not know them, and would not start.
  execArgvExtension: 'none',
  assets: { 'tool.pl': 'tool.pl' },
}
await writeFile(join(folder, 'sea.json'), JSON.stringify(config))
await execa(nodeProgram, ['--build-sea', 'sea.json'], { cwd: folder })
// macOS on Apple silicon runs no program without any signature.
if (process.platform === 'darwin') await execa('codesign', ['--sign', '-', 'converge'], { cwd: folder })
await rename(join(folder, 'converge'), program)
await rm(folder, { recursive: true })
process.stdout.write(`${program}\n`)
