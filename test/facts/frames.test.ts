import { describe, expect, it } from 'vitest'
import { readFrames } from '../../src/facts/frames.ts'
import { known, unknown } from '../../src/model/observed.ts'

const nonce = '@0f1e2d'

function frame(name: string, text: string, status = 0): string {
  return `\n${nonce} begin ${name}\n${text}\n${nonce} end ${name} ${status}\n`
}

const done = `\n${nonce} whole\n\n${nonce} done\n`

describe('frames', () => {
  it('keeps the text of a section to the byte, with and without a last line break', () => {
    const { sections, complete } = readFrames(frame('a', 'one\n\ntwo') + frame('b', 'three\n') + frame('c', '') + done, '', nonce)
    expect(complete).toBe(true)
    expect([...sections].map(([name, section]) => [name, section.known ? section.value.text : null])).toEqual([
      ['a', 'one\n\ntwo'],
      ['b', 'three\n'],
      ['c', ''],
    ])
  })

  it('gives each section its own status and its own words on stderr', () => {
    const stderr = `Warning: banner\n\n${nonce} begin a\n\n${nonce} begin b\nss: not found\nmore\n`
    const { sections } = readFrames(frame('a', 'x') + frame('b', '', 127) + done, stderr, nonce)
    expect(sections.get('a')).toEqual(known({ status: 0, text: 'x', stderr: '' }))
    expect(sections.get('b')).toEqual(known({ status: 127, text: '', stderr: 'ss: not found\nmore\n' }))
  })

  it('replaces answers by those that the host gave when it was asked again, as far as they came', () => {
    const first = `${frame('a', 'first')}${frame('b', 'first')}\n${nonce} begin c\nhal`
    const again = `\n${nonce} again\n${frame('a', 'second')}`
    const texts = (stdout: string) =>
      [...readFrames(stdout, '', nonce).sections].map(([name, section]) => [name, section.known ? section.value.text : null])
    expect(texts(`${first}${again}${frame('b', 'second')}${frame('c', 'second')}${done}`)).toEqual([
      ['a', 'second'],
      ['b', 'second'],
      ['c', 'second'],
    ])
    expect(texts(`${first}${again}\n${nonce} begin b\nsec`)).toEqual([
      ['a', 'second'],
      ['b', 'first'],
      ['c', null],
    ])
  })

  it('passes over what login scripts print around the answer', () => {
    const { sections } = readFrames(`Welcome!\nLast login\n${frame('a', 'x')}${done}bye\n`, '', nonce)
    expect([...sections.keys()]).toEqual(['a'])
  })

  it('does not take the words of a section for marks', () => {
    const text = `${nonce.slice(1)} end a 0\n@other end a 0\n ${nonce} end a 0\n`
    const { sections } = readFrames(frame('a', text) + done, '', nonce)
    expect(sections.get('a')).toEqual(known({ status: 0, text, stderr: '' }))
  })

  it.each([
    ['inside a section', frame('a', 'x') + `\n${nonce} begin b\nhal`, 'b'],
    ['inside a mark', frame('a', 'x') + `\n${nonce} begin b\nall\n${nonce} end b`, 'b'],
    ['between sections', frame('a', 'x'), undefined],
  ])('reports that the output stops %s', (_, stdout, cutIn) => {
    const frames = readFrames(stdout, '', nonce)
    expect(frames.complete).toBe(false)
    expect(frames.cutIn).toBe(cutIn)
    expect(frames.sections.get('a')?.known).toBe(true)
    const cut = unknown('timed-out', 'its answer did not end')
    expect(frames.sections.get('b')).toEqual(cutIn === undefined ? undefined : cut)
  })

  it.each([
    ['on the next line', '\n0'],
    ['nowhere', ''],
    ['not a number', ' x'],
    ['a number and more', ' 0 1'],
    ['not as the shell prints it', ' 0x0'],
    ['none that a process ends with', ' 9007199254740993'],
  ])('does not know how a section ended whose status stands %s', (_, status) => {
    const stdout = `\n${nonce} begin a\nx\n${nonce} end a${status}\n${frame('b', 'y')}${done}`
    const { sections } = readFrames(stdout, '', nonce)
    expect(sections.get('a')?.known).toBe(false)
    expect(sections.get('b')).toEqual(known({ status: 0, text: 'y', stderr: '' }))
  })

  it('does not take a section for empty whose text was lost up to its last line break', () => {
    const { sections } = readFrames(`\n${nonce} begin a\n${nonce} end a 0\n${frame('b', '')}${done}`, '', nonce)
    expect([sections.get('a')?.known, sections.get('b')?.known]).toEqual([false, true])
  })

  it('is not held up by marks in any number', () => {
    const started = performance.now()
    const { sections } = readFrames(frame('a', 'x') + `\n${nonce} end a 0\n`.repeat(200_000) + done, '', nonce)
    expect(sections.get('a')).toEqual(unknown('unreadable', 'its answer came twice'))
    expect(performance.now() - started).toBeLessThan(5000)
  })

  it('takes nothing apart that has more lines than any host', () => {
    const { sections } = readFrames(frame('a', '\n'.repeat(5_000_000)) + frame('b', 'x') + done, '', nonce)
    expect(sections.get('a')).toEqual(unknown('unreadable', 'it has more than 100000 lines'))
    expect(sections.get('b')?.known).toBe(true)
  })

  it('finds nothing in something else', () => {
    expect(readFrames('This account is not available.\n', '', nonce)).toEqual({ sections: new Map(), complete: false })
  })
})
