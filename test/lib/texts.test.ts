import { stripVTControlCharacters } from 'node:util'
import { array, assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../../src/lib/digest.ts'
import { mapStrings } from '../../src/lib/map-strings.ts'
import { maskKeys } from '../../src/lib/mask-keys.ts'
import { createRedactor } from '../../src/lib/redactor.ts'
import { sealed, shownLine, visibleJson, visibleText } from '../../src/lib/visible-text.ts'
import { Secret } from '../../src/model/secret.ts'
import { anyCharacter } from '../support/any-character.ts'

describe('text from elsewhere', () => {
  it.each([
    ['\u001b[2K\rforged', '\\u001b[2K\\u000dforged'],
    ['\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
    ['a\u202eb', 'a\\u202eb'],
    ['a\u061cb', 'a\\u061cb'],
    ['a\u200bb\u200cc\u200dd\u2060e\ufefff', 'a\\u200bb\\u200cc\\u200dd\\u2060e\\ufefff'],
    ['one\n\ttwo', 'one\n\ttwo'],
    ['\u001b[31mred\u001b[39m', '\\u001b[31mred\\u001b[39m'],
    ['\u001b[8mhidden', '\\u001b[8mhidden'],
  ])('%j is shown as %j', (text, shown) => expect(visibleText(text, { seal: '7' })).toBe(shown))

  it('keeps our colours, and drops foreign ones between them', () => {
    const text = `${sealed('\u001b[1m\u001b[31m', '47;11')}a \u001b[30mb \u001b[47;30mc${sealed('\u001b[39m', '47;11')}`
    expect(visibleText(text, { seal: '47;11' })).toBe('\u001b[1m\u001b[31ma \\u001b[30mb \\u001b[47;30mc\u001b[39m')
    expect(stripVTControlCharacters(sealed('\u001b[31m', '4711;1234;9999'))).toBe('')
  })

  it('is read from JSON as it was, and acts on no terminal there', () => {
    assert(
      property(string({ unit: anyCharacter }), (text) => {
        const json = visibleJson({ text })
        expect(JSON.parse(json)).toEqual({ text })
        expect(visibleText(json)).toBe(json)
      }),
    )
    expect(visibleJson('a\u202eb\u009b')).toBe('"a\\u202eb\\u009b"')
  })

  it('has no colours where none of ours can be in it', () => {
    expect(visibleText('\u001b[31mred')).toBe('\\u001b[31mred')
  })

  it('within a line of ours begins no line of its own, and has an end', () => {
    expect(shownLine('one\n\ttwo\u2028\u001b[31m')).toBe('one\\u000a\\u0009two\\u2028\\u001b[31m')
    expect(shownLine('x'.repeat(5000))).toBe(`${'x'.repeat(400)}… (5000 characters)`)
  })

  it.each([
    ['SRV_API_KEY="old key" failed', 'SRV_API_KEY=*** failed'],
    ['llama-server --api-key abc --port 1', 'llama-server --api-key *** --port 1'],
    ['Authorization: Bearer abc', 'Authorization: Bearer ***'],
    ['MONKEY business, api_key: { env: X }', 'MONKEY business, api_key: { env: X }'],
    ['config: api_key: OLDKEY1', 'config: api_key: ***'],
    ['{"api_key":"OLD KEY2", "n": 1}', '{"api_key":***, "n": 1}'],
    ["args = ['--api-key', 'OLDKEY6', '--port']", "args = ['--api-key', ***, '--port']"],
    ['GET https://u:OLDKEY7@host/x', 'GET https://u:***@host/x'],
    ['password = OLD, tries = 3', 'password = ***, tries = 3'],
    ["BOS token = 1 '<s>', max_tokens: 5", "BOS token = 1 '<s>', max_tokens: 5"],
  ])('%j keeps no key: %j', (text, masked) => expect(maskKeys(text)).toBe(masked))
})

describe('the redactor', () => {
  it('knows a value in one notation inside another', () => {
    const redactor = createRedactor((secret) => secret.reveal())
    redactor.learn(new Secret('pa$s%word"12', 'a test'))
    for (const written of ['pa$s%word"12', 'pa$$s%%word\\"12', 'pa$s%%word\\"12', encodeURIComponent('pa$s%word"12')])
      expect(redactor.redact(`key ${written} end`)).toBe('key *** end')
  })

  it('leaves no key of ordinary length in any text around it', () => {
    assert(
      property(string({ minLength: 8 }), string(), string(), (key, before, after) => {
        const redactor = createRedactor((secret) => secret.reveal())
        redactor.learn(new Secret(key, 'a test'))
        expect(redactor.redact(`${before}${key}${after}`).includes(key) && !'***'.includes(key)).toBe(false)
      }),
    )
  })

  it('removes overlapping keys completely, and nothing else', () => {
    const few = { unit: constantFrom('a', 'b') }
    assert(
      property(
        array(string({ ...few, minLength: 4, maxLength: 6 }), { minLength: 1, maxLength: 6 }),
        string(few),
        (keys, text) => {
          const redactor = createRedactor((secret) => secret.reveal())
          for (const key of keys) redactor.learn(new Secret(key, 'a test'))
          const hidden = Array.from(text, (_, at) => keys.some((key) => covers(key, text, at)))
          const shown = Array.from(text, (sign, at) => (hidden[at] === true ? '*' : sign)).join('')
          expect(redactor.redact(text).replaceAll(/\*+/g, '*')).toBe(shown.replaceAll(/\*+/g, '*'))
        },
      ),
    )
  })

  it('takes no longer for four thousand keys than for a few', () => {
    const redactor = createRedactor((secret) => secret.reveal())
    const keys = Array.from({ length: 4000 }, (_, index) => sha256(`key ${index}`))
    const script = 'docker compose up '.repeat(100)
    const before = process.cpuUsage()
    for (const key of keys) redactor.learn(new Secret(key, 'a test'))
    for (const key of keys) expect(redactor.redact(`${script}${key}`)).toBe(`${script}***`)
    // Searched for one by one they take half a minute.
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5)
  })
})

function covers(key: string, text: string, at: number): boolean {
  return Array.from(key, (_, index) => at - index).some((start) => start >= 0 && text.startsWith(key, start))
}

it('changes the texts of a value, but not its names and exceptions', () => {
  const value = { type: 'a', list: ['a', 1, null, true], a: { b: 'a' } }
  expect(mapStrings(value, () => 'x', new Set(['type']))).toEqual({ type: 'a', list: ['x', 1, null, true], a: { b: 'x' } })
})
