import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { shellQuote } from '../../src/lib/shell-quote.ts'
import { startedBy } from './program.ts'

/**
 * The files of a release by name: `SHA256SUMS`, and an archive for this platform, in which a script starts the converge of this test.
 *
 * @param says what its `--version` prints
 */
export async function releaseDouble(version: string, says = version): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'release-'))
  const name = `converge-${version}-${process.platform}-${process.arch}`
  const start = `#!/bin/sh\n[ "$*" != --version ] || { echo ${says}; exit; }\nexec ${shellQuote(startedBy(process.execPath))} "$@"\n`
  try {
    for (const place of ['bin', 'share']) await mkdir(join(folder, name, place), { recursive: true })
    await writeFile(join(folder, name, 'bin/converge'), start, { mode: 0o755 })
    const file = join(folder, `${name}.tar.gz`)
    await execa('tar', ['-C', folder, '-czf', file, name])
    const archive = await readFile(file)
    const sums = `${createHash('sha256').update(archive).digest('hex')}  ${name}.tar.gz\n`
    return new Map([
      ['SHA256SUMS', Buffer.from(sums)],
      [`${name}.tar.gz`, archive],
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
}
