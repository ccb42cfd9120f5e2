import { describe, expect, it } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { repeatOptions } from '../../src/cli/repeat-options.ts'

const aProgram = async () => {
  const given: unknown[] = []
  const parser = await createProgram(['status', 'plan', 'explain'], (_, options) => {
    given.push(options)
    return Promise.resolve()
  })
  return { given, parse: (words: readonly string[]) => parser.parseAsync([...words], { from: 'user' }) }
}

describe('options of a command line', () => {
  it.each([
    [['status'], {}],
    [['status', '-i', 'home'], { inventory: 'home' }],
    [['status', '-ihome'], { inventory: 'home' }],
    [['status', '-qi', 'home'], { inventory: 'home' }],
    [['status', '--inventory=home', '--ssh-config=file'], { inventory: 'home', sshConfig: 'file' }],
    [['status', '-i', 'one', '-i', 'two'], { inventory: 'two' }],
    [['plan', '--allow', 'X@y', '--reason', '-incident 7'], {}],
    [['explain', 'PORT.TAKEN'], {}],
  ])('are found in %s', async (words, expected) => {
    const { given, parse } = await aProgram()
    await parse(words)
    expect(given).toEqual([expected])
  })
})

describe('commands that people are to type next', () => {
  const given = { inventory: 'my homes/', sshConfig: '/tmp/config' }

  it.each([
    ['next: converge plan --limit nas', "next: converge plan -i 'my homes/' --ssh-config /tmp/config --limit nas"],
    ['      converge hosts --json', "      converge hosts -i 'my homes/' --json"],
    ['next: Plan again:  converge plan', "next: Plan again:  converge plan -i 'my homes/' --ssh-config /tmp/config"],
    [
      '\u001b[2mnext: \u001b[22mconverge status',
      "\u001b[2mnext: \u001b[22mconverge status -i 'my homes/' --ssh-config /tmp/config",
    ],
  ])('get what was given: %s', (line, expected) => {
    expect(repeatOptions(line, given)).toBe(expected)
  })

  it.each(['next: converge explain PORT.TAKEN', 'next: converge plan -i other', 'converge plan looks at hosts', 'next: ssh nas'])(
    'and nothing else does: %s',
    (line) => {
      expect(repeatOptions(line, given)).toBe(line)
    },
  )

  it('stay as they are where nothing was given', () => {
    expect(repeatOptions('next: converge plan', {})).toBe('next: converge plan')
  })
})
