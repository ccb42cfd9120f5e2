import { execa } from 'execa'
import { expect, it } from 'vitest'
import { probePrelude } from '../../src/facts/probe-prelude.ts'

const key = 'sk-0123456789abcdef'

it.each([['dash'], ['busybox', 'sh']])('a long line is cut before a word, so no half of a key is left: %j', async (...shell) => {
  const [program = '', ...args] = shell
  const [whole, long, one] = [`${'a'.repeat(280)} ${key}`, `${'a'.repeat(290)} ${key}`, 'b'.repeat(1000)]
  const input = `${whole}\n${long}\n${one}\nshort ${key}`
  const { stdout } = await execa(program, [...args, '-c', `${probePrelude}\nshorten`], { input })
  expect(stdout.split('\n')).toEqual([whole, `${'a'.repeat(290)} `, '', `short ${key}`])
})
