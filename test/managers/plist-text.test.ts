import { afterEach, describe, expect, test, vi } from 'vitest'
import { parsePlist } from '../../src/managers/launchd/plist-text.ts'

const inside = (words: string) => `<?xml version="1.0"?>\n<plist version="1.0">${words}</plist>`

describe('a property list that a host has', () => {
  afterEach(() => void vi.restoreAllMocks())

  test.each([
    ['an element that is not closed', inside('<dict><key>Label</key>')],
    ['elements that overlap', inside('<dict><key>a</dict></key>')],
    ['an entity that there is not', inside('<dict><key>a</key><string>&foo;</string></dict>')],
    ['an attribute without quotation marks', inside('<dict/>').replace('"1.0">', '1.0>')],
    ['a comment in a comment', inside('<!-- a -- b --><dict/>')],
    ['words behind its end', `${inside('<dict/>')}<dict/>`],
    ['another format that speaks of it', 'bplist00 <plist></plist>'],
    ['one that is not finished', '<plist version="1.0"><dict><!-- </plist>'],
  ])('%s: is invalid, and nothing of it is written to the terminal', (_what, text) => {
    const written = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name).mockReturnValue())
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const read = parsePlist(text)
    const said = [...written, stderr].flatMap((spy) => spy.mock.calls)
    vi.restoreAllMocks()
    expect(said).toEqual([])
    expect(read).toBeUndefined()
  })

  test('without a fault is read', () => {
    expect(parsePlist(inside('<!-- of converge --><dict><key>a</key><string>1 &lt; 2 &#169;</string></dict>'))).toEqual({
      a: '1 < 2 ©',
    })
  })
})
