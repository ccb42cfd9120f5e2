import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { installPackage } from '../test/packaging/install-package.ts'

/** The words that start converge, by its form. */
export type Forms = Readonly<Record<string, readonly string[]>>

/** Every form that is built here: `npm run build:binary`, `build:deb`, `build:archive`, `build:image`. Archives are unpacked into a folder. */
export async function builtForms(folder: string, started: AsyncDisposableStack): Promise<Forms> {
  const { prefix } = started.use(await installPackage())
  const npm = join(prefix, 'bin/converge')
  return {
    checkout: [process.execPath, 'dist/main.js'],
    npm: [npm],
    homebrew: [await homebrewWrapper(npm, folder)],
    ...(await unpacked('binary', 'build/converge', async (file) => file)),
    ...(await unpacked('archive', 'build/converge-*.tar.gz', async (file) => {
      await execa('tar', ['-C', folder, '-xzf', file])
      return join(folder, globSync('converge-*/bin/converge', { cwd: folder })[0] ?? '')
    })),
    ...(await unpacked('deb', 'build/converge_*.deb', async (file) => {
      await execa('dpkg-deb', ['-x', file, join(folder, 'deb')])
      return join(folder, 'deb/usr/bin/converge')
    })),
    ...container(),
  }
}

/** As `write_env_script` of Homebrew writes it. */
async function homebrewWrapper(program: string, folder: string): Promise<string> {
  const wrapper = join(folder, 'brew/bin/converge')
  const words = `PATH="${dirname(process.execPath)}:\${PATH}" CONVERGE_FORM="homebrew" exec "${program}" "$@"`
  await mkdir(dirname(wrapper), { recursive: true })
  await writeFile(wrapper, `#!/bin/bash\n${words}\n`, { mode: 0o755 })
  return wrapper
}

async function unpacked(form: string, built: string, unpack: (file: string) => Promise<string>): Promise<Forms> {
  const [file] = globSync(built)
  return file === undefined ? {} : { [form]: [await unpack(file)] }
}

function container(): Forms {
  const { status } = spawnSync('docker', ['image', 'inspect', 'converge'], { stdio: 'ignore' })
  return status === 0 ? { container: ['docker', 'run', '--rm', 'converge'] } : {}
}
