import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { maskKeys } from '../../src/lib/mask-keys.ts'
import { redactLogAwk } from '../../src/logs/redact-log-awk.ts'

interface Case {
  readonly line: string
  readonly is?: string
  readonly host?: string
}

const cases: readonly Case[] = parse(readFileSync('test/fixtures/logs/redaction.yaml', 'utf8'))

describe.each([[['awk']], [['busybox', 'awk']]])('a log redacted by %s', ([file = '', ...first]) => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'converge-keys-'))
    await writeFile(join(folder, 'a.key'), 'PLAIN-KEY,1\nPLAIN-KEY,1-and-more\n')
    await writeFile(join(folder, 'b.env'), 'SRV_API_KEY="quoted\\"key"\n')
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function redacted(input: string): Promise<readonly string[]> {
    const keys = ['a.key', 'b.env', 'none'].map((name) => join(folder, name)).join('\n')
    const { stdout } = await execa(file, [...first, '-v', 'number=7', redactLogAwk], { input, env: { LC_ALL: 'C', keys } })
    return stdout.split('\n')
  }

  test('has no keys, and everything else', async () => {
    const lines = await redacted(cases.map(({ line }) => `${line}\n`).join(''))
    expect(lines).toEqual(cases.map(({ line, is, host }) => `7|${host ?? is ?? line}`))
  })

  test('is sent in records that a pipe does not split, and a cut leaves no half of a key', async () => {
    const lines = await redacted(`${'word '.repeat(1000)}\n${'x'.repeat(65_530)}PLAIN-KEY,1\n`)
    expect(lines.every((line) => line.length < 512)).toBe(true)
    const put = lines.map((line) => line.slice(2))
    expect(put.slice(0, 11).join('')).toBe('word '.repeat(1000))
    expect(lines.slice(11).map((line) => line[1])).toEqual([...Array<string>(17).fill('-'), '>'])
    expect(put.slice(11).join('')).toBe('x'.repeat(8192))
  })

  test('has no colours, which could split a key', async () => {
    expect(await redacted('\u001b[32mPLAIN-\u001b[0mKEY,1\u001b[31m!\r\n')).toEqual(['7|***!'])
  })
})

test.each(cases.filter(({ host }) => host === undefined))('the controller masks $line likewise', ({ line, is }) => {
  expect(maskKeys(line)).toBe(is)
})
