import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'

test('a file that does not fit stays as it was', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'write-whole-'))
  const file = join(folder, 'hosts.yaml')
  writeFileSync(file, 'before')
  const code = `
    process.on('SIGXFSZ', () => {})
    const { writeWhole } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/state/write-whole.ts'))})
    await writeWhole(${JSON.stringify(file)}, 'x'.repeat(1_000_000))`
  // The system writes a part, as on a full disk, and fails at the next write.
  const { stderr, exitCode } = await execa(
    '/bin/sh',
    ['-c', 'ulimit -f 64; exec "$0" --input-type=module -e "$1"', process.execPath, code],
    { reject: false, extendEnv: false, stdin: 'ignore' },
  )
  expect([exitCode, readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual([1, 'before', ['hosts.yaml']])
  expect(stderr).toContain('USAGE.OUTPUT_FILE')
  rmSync(folder, { recursive: true })
})
