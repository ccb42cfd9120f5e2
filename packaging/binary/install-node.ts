import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { nodeOfBinaries as node } from '../paths.ts'

/**
 * The Node of single binaries, below `build/`: npm compares it with the digests in the lock file, and takes the one for this platform.
 * It is not among the dependencies of the project, because it takes 200 MB, and only binaries need it.
 */
export async function installNode(): Promise<void> {
  const lock = await readFile(join(import.meta.dirname, 'node/package-lock.json'), 'utf8')
  const installed = await readFile(join(node, 'installed'), 'utf8').catch(() => '')
  if (installed === lock) return
  await mkdir(node, { recursive: true })
  for (const file of ['package.json', 'package-lock.json'])
    await copyFile(join(import.meta.dirname, 'node', file), join(node, file))
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  await execa('npm', ['ci', ...options], { cwd: node, stderr: 'inherit' })
  await writeFile(join(node, 'installed'), lock)
}
