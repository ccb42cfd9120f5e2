import { array, assert, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crontabBlock, withBlock, withoutBlock } from '../../src/schedulers/crontab.ts'
import { anyCharacter } from '../support/any-character.ts'

const block = crontabBlock('drift', ['0 * * * * /bin/sh /x/run'])
const begin = '# converge: drift begin\n'
const end = '# converge: drift end\n'

describe('a crontab', () => {
  it('gets the block at its end, once', () => {
    expect(withBlock('', 'drift', block)).toBe(block)
    expect(withBlock('5 * * * * true', 'drift', block)).toBe(`5 * * * * true\n${block}`)
    expect(withBlock(withBlock('a\n', 'drift', block), 'drift', block)).toBe(`a\n${block}`)
  })

  it('keeps everything else to the byte, whatever it is, and the block its place', () => {
    const line = string({ unit: anyCharacter, maxLength: 12 }).filter((text) => !text.includes('converge:'))
    const lines = array(line, { maxLength: 5 }).map((all) => all.map((one) => `${one}\n`).join(''))
    assert(
      property(lines, lines, (before, after) => {
        const old = crontabBlock('drift', ['*/5 * * * * old', 'another'])
        const other = crontabBlock('drift-2', ['1 * * * * other'])
        expect(withBlock(before + old + other + after, 'drift', block)).toBe(before + block + other + after)
        expect(withoutBlock(before + other + block + after, 'drift')).toBe(before + other + after)
        expect(withoutBlock(before + other + after, 'drift')).toBeUndefined()
      }),
    )
  })

  it.each([
    ['no end', `${begin}x\n`],
    ['no begin', `x\n${end}`],
    ['two of them', block + block],
    ['the end first', end + begin],
  ])('with %s is left alone', (_, crontab) => {
    expect(() => withBlock(crontab, 'drift', block)).toThrow(/SCHEDULE.FOREIGN/)
    expect(() => withoutBlock(crontab, 'drift')).toThrow(/SCHEDULE.FOREIGN/)
  })
})
