import { describe, expect, test } from 'vitest'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import { compileHostRegex } from '../../src/inventory/host-regex.ts'
import { selectServices } from '../../src/inventory/select-services.ts'
import { compileGlob } from '../../src/lib/glob.ts'

describe('regular expressions in Python’s notation', () => {
  test.each([
    ['(?i)WEB', 'web01', true],
    ['(?im)^WEB$', 'web', true],
    ['(?i:W)eb', 'web', true],
    ['(?i:W)EB', 'web', false],
    ['\\Aweb\\Z', 'web', true],
    ['\\Aweb\\Z', 'web1', false],
    ['eb', 'web', false],
    ['a|web', 'web', true],
    ['x{,2}web', 'xxweb', true],
    ['x{,2}web', 'xxxweb', false],
    ['a{', 'a{', true],
    ['a]', 'a]', true],
    ['[]a]+$', ']a', true],
    ['[^]a]+$', 'b]', false],
    ['[\\w.-]+$', 'a.b-c', true],
    ['[a\\-c]$', '-', true],
    ['web\\-1', 'web-1', true],
    ['web\\:1', 'web:1', true],
    ['(?P<a>.)(?P=a)', 'aab', true],
    ['(?P<a>.)(?P=a)', 'ab', false],
    ['(?<!x)web', 'web', true],
    ['\\x77eb', 'web', true],
    ['', 'anything', true],
  ])('%s on %s: %s', (source, name, expected) => {
    expect(compileHostRegex(source).test(name)).toBe(expected)
  })

  test.each([
    ['(a+)+$', 'could take forever'],
    ['(a|b)*c', 'could take forever'],
    ['(a?){20}', 'could take forever'],
    ['((a{1,9}){1,9}){1,9}', 'could take forever'],
    ['(?:(?:a*))*', 'could take forever'],
    ['(?=(a+)+$)', 'could take forever'],
    ['.*.*.*.*.*.*.*x', 'more than six open repetitions'],
    ['a{0,99}b*c+d*e*f*g*', 'more than six open repetitions'],
    ['a)', 'a `)` closes nothing'],
    ['a)(b', 'a `)` closes nothing'],
    ['*a', 'there is nothing to repeat'],
    ['a|*', 'there is nothing to repeat'],
    ['(?x)a', 'there is nothing to repeat'],
    ['(?<n>a)', 'there is nothing to repeat'],
    ['a*+', 'possessive repetition is not supported'],
    ['\\N', '`\\N` is not supported'],
    ['[z-a]', 'out of order'],
    ['(a', 'Unterminated group'],
    ['[a', 'the regular expression cannot be used'],
  ])('%s is refused: %s', (source, reason) => {
    expect(() => compileHostRegex(source)).toThrow(reason)
  })

  test.each(['(?:[0-9]{1,3}\\.){3}[0-9]{1,3}$', '(web|db)-[ab]+$|x', '(?:ab){2,5}', '(a+)?b', 'a.*b.*c.*d.*'])(
    'ordinary expressions pass: %s',
    (source) => {
      expect(compileHostRegex(source)).toBeInstanceOf(RegExp)
    },
  )
})

describe('globs', () => {
  test.each([
    ['web*', 'web', true],
    ['web?', 'web', false],
    ['*a*b', 'xaxxb', true],
    ['*ab', 'aab', true],
    ['a*b*c', 'abbc', true],
    ['a*b*c', 'abbd', false],
    ['[!a-c]x', 'dx', true],
    ['[!a-c]x', 'bx', false],
    ['[]]', ']', true],
    ['[!]]', ']', false],
    ['[a', '[a', true],
    ['[c-a]', 'b', false],
    ['[!c-a]', 'b', true],
    ['[a-]', '-', true],
    ['[\\]', '\\', true],
    ['?', '😀', true],
    ['a.b', 'axb', false],
    ['WEB', 'web', false],
    ['', '', true],
    ['*', '', true],
  ])('%s on %s: %s', (glob, name, expected) => {
    expect(compileGlob(glob)(name)).toBe(expected)
  })

  test('a glob made to backtrack is as fast as any', () => {
    const started = performance.now()
    expect(compileGlob(`${'*a'.repeat(60)}*b`)('a'.repeat(250))).toBe(false)
    expect(performance.now() - started).toBeLessThan(500)
  })
})

describe('selectServices', () => {
  const names = ['coder', 'chat', 'flagship', 'coder', 'coder-2']

  test.each([
    [[], ['coder', 'chat', 'flagship', 'coder-2']],
    [['*'], ['coder', 'chat', 'flagship', 'coder-2']],
    [
      ['flagship', 'coder*'],
      ['coder', 'flagship', 'coder-2'],
    ],
    [['c[ho]*'], ['coder', 'chat', 'coder-2']],
  ])('%j selects %j, in the order of the inventory', (globs, expected) => {
    expect(selectServices(names, globs)).toEqual(expected)
  })

  test('an inventory without services has nothing to select, which is no error unless a name was given', () => {
    expect(selectServices([], [])).toEqual([])
    expect(selectServices([], ['*'])).toEqual([])
    expect(() => selectServices([], ['coder'])).toThrow(ConvergeError)
  })

  test('a name or glob that no service has is an error with a suggestion', () => {
    expect(() => selectServices(names, ['chat', 'flagshp'])).toThrow(
      expect.objectContaining({ code: 'USAGE.UNKNOWN_SERVICE', next: expect.arrayContaining(['Did you mean `flagship`?']) }),
    )
    expect(() => selectServices(names, ['x*'])).toThrow(expect.objectContaining({ code: 'USAGE.UNKNOWN_SERVICE' }))
  })
})
