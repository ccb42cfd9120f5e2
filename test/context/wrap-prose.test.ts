import { stripVTControlCharacters, styleText } from 'node:util'
import { array, assert, boolean, constantFrom, integer, property, record, string } from 'fast-check'
import stringWidth from 'string-width'
import { beforeAll, describe, expect, it } from 'vitest'
import { columnsOf, loadWidths, marks, wrapProse } from '../../src/context/wrap-prose.ts'

const columns = 40

beforeAll(loadWidths)

const whole = (text: string) => `${marks.whole}${text}${marks.wholeEnds}`

describe('text on a terminal', () => {
  it.each([
    ['fits', '  · as wanted: coder', ['  · as wanted: coder']],
    [
      'is broken between words, below the words it belongs to',
      '      nas has 23.5 GiB of RAM, and coder is resident there.',
      ['      nas has 23.5 GiB of RAM, and coder', '      is resident there.'],
    ],
    [
      'continues where its words begin, after a label',
      `    seen: ${marks.hang}resident: coder (llama-server, pid 42), 64 MiB`,
      ['    seen: resident: coder (llama-server,', '          pid 42), 64 MiB'],
    ],
    [
      'continues further left if the label takes half of the columns',
      `${'label '.repeat(5)}${marks.hang}and the words behind it`,
      ['label label label label label and the', `${' '.repeat(20)}words behind it`],
    ],
    [
      'is the same whatever its lines begin with',
      '> @@ converge plan - 4 | is how a sentence can begin',
      ['> @@ converge plan - 4 | is how a', 'sentence can begin'],
    ],
    [
      'keeps what is whole together, on a line of its own',
      `    next: ${marks.hang}To overrule it:  ${whole('converge apply --limit nas --allow A.B@second')}`,
      ['    next: To overrule it:', '          converge apply --limit nas --allow A.B@second'],
    ],
    [
      'keeps what stands close to what is whole with it',
      `A sentence with something long in it (${whole('a b')}).`,
      ['A sentence with something long in it', '(a b).'],
    ],
    ['leaves a line that is whole as it is', `      ${whole(`+  x${' y'.repeat(40)}`)}`, [`      +  x${' y'.repeat(40)}`]],
    ['leaves a long word whole', `a ${'x'.repeat(50)} b`, ['a', 'x'.repeat(50), 'b']],
    [
      'breaks no path at a blank that does not break',
      'a sentence about the file of another one a\u00a0b\u00a0c',
      ['a sentence about the file of another one', 'a\u00a0b\u00a0c'],
    ],
    ['counts no colours', `\u001b[31m${'ab '.repeat(13)}\u001b[39m`, [`\u001b[31m${'ab '.repeat(13)}\u001b[39m`]],
    [
      'counts two columns for what is as wide as two letters',
      `  ${'模型 '.repeat(8)}🚀🚀 🧑‍🚀🇪🇺`,
      [`  ${'模型 '.repeat(7).trimEnd()}`, '  模型 🚀🚀 🧑‍🚀🇪🇺'],
    ],
  ])('%s', (_, line, rows) => {
    expect(wrapProse(line, columns).split('\n')).toEqual(rows)
  })

  it('is no wider than can be read', () => {
    expect(wrapProse('word '.repeat(100).trimEnd(), 300).split('\n', 1)[0]).toHaveLength(119)
  })

  it('stays as it is where there is no terminal, but for the marks', () => {
    expect(wrapProse(`${marks.hang}${'word '.repeat(60)}${whole('a b')}`, undefined)).toBe(`${'word '.repeat(60)}a b`)
  })

  it('is as wide as a terminal says it is', () => {
    expect(columnsOf({ isTTY: true, columns: 132 })).toBe(132)
    expect(columnsOf({ isTTY: true, columns: 0 })).toBe(80)
    expect(columnsOf({})).toBeUndefined()
  })
})

const word = string({
  unit: constantFrom('a', '-', '.', 'é', '模', '型', '🚀', '👩‍💻', 'ｶﾞ', 'e\u0301'),
  minLength: 1,
  maxLength: 14,
})
const piece = record({ words: array(word, { minLength: 1, maxLength: 4 }), isWhole: boolean(), isRed: boolean() })
const someText = record({
  columns: integer({ min: 1, max: 60 }),
  indent: integer({ min: 0, max: 30 }),
  label: array(word, { maxLength: 2 }),
  pieces: array(piece, { maxLength: 12 }),
})

interface Piece {
  readonly words: readonly string[]
  readonly isWhole: boolean
  readonly isRed: boolean
}

const red = (text: string) => styleText('red', text, { validateStream: false })

/** The pieces as a line, and what may not be broken in it. */
function lineOf(
  { indent, label, pieces }: { readonly indent: number; readonly label: readonly string[]; readonly pieces: readonly Piece[] },
  isPainted: boolean,
) {
  const texts = pieces.map(({ words, isWhole, isRed }) => {
    const text = isWhole ? whole(words.join(' ')) : words.join(' ')
    return isRed && isPainted ? red(text) : text
  })
  const units = [...label, ...pieces.flatMap(({ words, isWhole }) => (isWhole ? [words.join(' ')] : words))]
  const lead = label.length === 0 ? '' : `${label.join(' ')} ${marks.hang}`
  return { line: `${' '.repeat(indent)}${lead}${texts.join(' ')}`.trimEnd(), units }
}

describe('whatever is written', () => {
  it('no row is wider than the terminal, but for a unit that could begin no further left', () => {
    assert(
      property(someText, (text) => {
        const { line, units } = lineOf(text, false)
        const tooWide = wrapProse(line, text.columns)
          .split('\n')
          .filter((row) => stringWidth(row) > text.columns)
        const inFrontOf = (row: string) => {
          const last = units.filter((unit) => row.endsWith(unit)).toSorted((a, b) => b.length - a.length)[0] ?? ''
          return row.slice(0, row.length - last.length)
        }
        const couldBeBroken = (front: string) => front.trim() !== '' && stringWidth(front) > text.columns / 2
        expect(tooWide.map(inFrontOf).filter(couldBeBroken)).toEqual([])
      }),
    )
  })

  it('the rows have all words in their order, and what is whole in one of them', () => {
    assert(
      property(someText, (text) => {
        const { line, units } = lineOf(text, false)
        const rows = wrapProse(line, text.columns).split('\n')
        expect(
          rows
            .map((row) => row.trim())
            .join(' ')
            .trim(),
        ).toBe(units.join(' '))
        const wholes = text.pieces.filter(({ isWhole }) => isWhole).map(({ words }) => words.join(' '))
        expect(wholes.filter((one) => !rows.some((row) => row.includes(one)))).toEqual([])
      }),
    )
  })

  it('colours change no break, and are all there', () => {
    assert(
      property(someText, (text) => {
        const painted = wrapProse(lineOf(text, true).line, text.columns)
        expect(stripVTControlCharacters(painted)).toBe(wrapProse(lineOf(text, false).line, text.columns))
        expect(painted.split(red('').slice(0, 5))).toHaveLength(text.pieces.filter(({ isRed }) => isRed).length + 1)
      }),
    )
  })

  it('what was broken once is not broken again', () => {
    assert(
      property(someText, (text) => {
        const { line } = lineOf({ ...text, label: [], pieces: text.pieces.map((one) => ({ ...one, isWhole: false })) }, false)
        const once = wrapProse(line, text.columns)
        expect(wrapProse(once, text.columns)).toBe(once)
      }),
    )
  })
})
