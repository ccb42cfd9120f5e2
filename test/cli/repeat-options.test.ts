import { describe, expect, it } from 'vitest'
import { givenOptions } from '../../src/cli/given-options.ts'
import { repeatOptions } from '../../src/cli/repeat-options.ts'

describe('options of a command line', () => {
  it.each([
    ['plan', {}],
    ['plan -i home', { inventory: 'home' }],
    ['plan -ihome', { inventory: 'home' }],
    ['plan --inventory home', { inventory: 'home' }],
    ['plan --inventory=home --ssh-config=file', { inventory: 'home', sshConfig: 'file' }],
    ['plan -i one -i two', { inventory: 'two' }],
    ['plan -i', {}],
  ])('are found in %s', (line, given) => {
    expect(givenOptions(line.split(' '))).toEqual(given)
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
