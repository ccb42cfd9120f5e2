import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { manPages, readBuilt } from './paths.ts'

/** Below a prefix such as `/usr`, where each shell looks for completions of packages. */
export interface Completions {
  readonly bash: string
  readonly zsh: string
  readonly fish: string
}

export const completions: Completions = {
  bash: 'share/bash-completion/completions/converge',
  zsh: 'share/zsh/site-functions/_converge',
  fish: 'share/fish/vendor_completions.d/converge.fish',
}

/** Debian's zsh has a folder of its own for packages. */
export const debianCompletions: Completions = { ...completions, zsh: 'share/zsh/vendor-completions/_converge' }

/** Lays a binary, its manual pages and its completions below a prefix. */
export async function layPrefix(prefix: string, binary: string, places = completions): Promise<void> {
  await lay(join(prefix, 'bin/converge'), (target) => cp(binary, target))
  for (const page of await pages()) {
    await lay(join(prefix, `share/man/man${page.slice(-1)}`, page), (target) => cp(join(manPages, page), target))
  }
  for (const [shell, place] of Object.entries(places)) {
    const { stdout } = await execa(binary, ['completion', shell], { env: {}, extendEnv: false })
    await lay(join(prefix, place), (target) => writeFile(target, `${stdout}\n`))
  }
}

async function pages(): Promise<readonly string[]> {
  const names = await readBuilt(manPages, (path) => readdir(path))
  const found = names.filter((name) => /\.[1-8]$/.test(name))
  if (found.length === 0) throw new Error(`${manPages} has no manual pages: run \`npm run build\` first`)
  return found
}

async function lay(target: string, write: (target: string) => Promise<void>): Promise<void> {
  await mkdir(join(target, '..'), { recursive: true })
  await write(target)
}
