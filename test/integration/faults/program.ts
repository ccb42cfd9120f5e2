import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { hopelessCtxSize } from './scenarios.ts'

/** The double of a server in one file of plain JavaScript: from its sources it takes four times as long to start. */
export interface Program extends AsyncDisposable {
  install(path: string): Promise<void>
}

export async function buildProgram(): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'server-'))
  // A machine recognises its servers by such a path.
  const file = join(folder, 'simulation/model-server.js')
  await build({
    entryPoints: [join(import.meta.dirname, '../../../simulation/model-server.ts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
  await writeFile(join(folder, 'package.json'), '{"type":"module"}\n')
  return {
    install: async (path) => {
      // What it says about itself is nothing that this is about, and starting Node for it is most of what a look takes.
      const lines = `#!/bin/sh\ncase $* in --help | --version) exit 1 ;; esac\nexec '${process.execPath}' '${file}' "$0" "$@"\n`
      await writeFile(path, lines, { mode: 0o755 })
      await writeFile(`${path}.knobs.json`, JSON.stringify({ neverWith: `--ctx-size ${hopelessCtxSize}` }))
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
