import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { redactAwk } from '../../src/facts/redact-awk.ts'

interface RedactionCase {
  readonly about: string
  readonly lines: readonly string[]
  readonly expect: readonly string[]
}

const cases: readonly RedactionCase[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/facts/redaction/cases.json'), 'utf8'),
)

describe.each([['awk'], ['busybox', 'awk']])('the redactor in %s %s', (...command) => {
  it.each(cases)('hides the keys and nothing else: $about', async ({ lines, expect: expected }) => {
    const [file = '', ...first] = command.filter((word) => typeof word === 'string')
    const { stdout } = await execa(file, [...first, redactAwk], { input: `${lines.join('\n')}\n`, env: { LC_ALL: 'C' } })
    expect(stdout.split('\n')).toEqual(expected)
    expect(stdout).not.toContain('SECRET')
  })
})
