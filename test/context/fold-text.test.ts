import { describe, expect, it } from 'vitest'
import { foldText } from '../../src/context/fold-text.ts'
import { onOneLine } from '../../src/lib/held-blank.ts'

const columns = 40

describe('text on a terminal', () => {
  it.each([
    ['fits', '  · as wanted: coder', ['  · as wanted: coder']],
    [
      'is broken between words, below the words it belongs to',
      '      nas has 23.5 GiB of RAM, and coder is resident there.',
      ['      nas has 23.5 GiB of RAM, and coder', '      is resident there.'],
    ],
    [
      'keeps the place below a label',
      '    seen: resident: coder (llama-server, pid 42), 64 MiB',
      ['    seen: resident: coder (llama-server,', '          pid 42), 64 MiB'],
    ],
    [
      'keeps the place below a sign',
      '  ✗ refused second  CORUN.SECOND_KIND_A  A second server.',
      ['  ✗ refused second  CORUN.SECOND_KIND_A', '    A second server.'],
    ],
    [
      'leaves a command whole, on a line of its own',
      `    next: To overrule it:  ${onOneLine('converge apply --limit nas --allow A.B@second')}`,
      ['    next: To overrule it:', `          ${onOneLine('converge apply --limit nas --allow A.B@second')}`],
    ],
    ['leaves a line of a diff whole', `      +      - "${'x'.repeat(40)} y"`, [`      +      - "${'x'.repeat(40)} y"`]],
    [
      'leaves a line of an excerpt whole',
      `  > 4 |     prot: 9996   # ${'x '.repeat(30)}`,
      [`  > 4 |     prot: 9996   # ${'x '.repeat(30)}`],
    ],
    ['leaves the mark below it whole', `    | ${' '.repeat(40)}^^^^`, [`    | ${' '.repeat(40)}^^^^`]],
    ['leaves a long word whole', `a ${'x'.repeat(50)} b`, ['a', 'x'.repeat(50), 'b']],
    ['counts no colours', `\u001b[31m${'ab '.repeat(13)}\u001b[39m`, [`\u001b[31m${'ab '.repeat(13)}\u001b[39m`]],
  ])('%s', (_, line, rows) => {
    expect(foldText(line, columns).split('\n')).toEqual(rows)
  })

  it('stays as it is where there is no terminal', () => {
    const line = 'word '.repeat(40)
    expect(foldText(line, undefined)).toBe(line)
  })
})
