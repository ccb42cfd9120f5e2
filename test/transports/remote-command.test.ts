import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/model/secret.ts'
import { loginShellLine, remoteCommand } from '../../src/transports/remote/remote-command.ts'

const plain = { text: ['echo hi'], args: ['first'], timeoutMs: 60_000, graceS: 60, nonce: 'f00d' }
const prompt = 'sudo-4242:'
const commands = {
  plain,
  'through sudo': { ...plain, become: { user: 'root' } },
  'through sudo with a password': { ...plain, become: { user: 'op', prompt } },
}

describe.each(Object.entries(commands))('a command %s', (_, input) => {
  const secret = new Secret('s3cr3t-value', 'test')
  const command = remoteCommand({ ...input, text: ['echo hi ', secret], args: ['an-argument'] })

  test('has nothing in its words but how to start a shell', () => {
    expect(command.words.join(' ')).not.toMatch(/echo hi|s3cr3t|an-argument|f00d/)
    expect(command.input.toString()).toContain('s3cr3t-value')
    expect(command.input.toString()).toContain('an-argument')
  })

  test('announces exactly the bytes it sends', () => {
    const [, length = '', ...script] = command.input.toString().split(/(?<=\n)/)
    expect(length).toBe(`${Buffer.byteLength(script.join(''))}\n`)
  })

  test('is one line without anything that login shells read differently', () => {
    expect(loginShellLine(command.words)).toMatch(/^exec \/bin\/sh -c '[^'!\\\n]*' sh '[^'!\\\n]*' '[^'!\\\n]*'$/)
  })
})

describe('a command that becomes another user', () => {
  test('asks sudo for nothing without a password, and with the prompt of this run with one', () => {
    expect(remoteCommand(commands['through sudo']).words.join(' ')).toContain('sudo -n -H -u root -- /bin/sh')
    expect(remoteCommand(commands['through sudo with a password']).words.join(' ')).toContain(
      `sudo -k -S -p ${prompt} -H -u op -- /bin/sh`,
    )
  })

  test.each(['', 'a b', 'root;id', '$(id)', '-u', "o'p", 'a\nb'])('cannot become %j', (user) => {
    expect(() => remoteCommand({ ...plain, become: { user } })).toThrow(/not a user name/)
  })
})

describe('a word for a login shell', () => {
  test.each(["it's", 'no!', 'back\\slash', 'two\nlines'])('%j is refused rather than guessed', (word) => {
    expect(() => loginShellLine([word])).toThrow(/cannot be quoted/)
  })
})

test('a script that arrives cut short is no script at all', () => {
  const input = remoteCommand(plain).input.toString()
  expect(input).toMatch(/^\n\d+\n\{\n/)
  expect(input.endsWith('\n}\n')).toBe(true)
})

test('a long text that is sent again, or one of many, arrives as it is', () => {
  const long = Array.from({ length: 6 }, (_, n) => `echo "it's ${n}"\n`.repeat(2_000))
  const sent = [...long, ...long].map((text) => remoteCommand({ ...plain, text: ['n=1\n', text] }).input.toString())
  expect(sent.slice(0, 6)).toEqual(sent.slice(6))
  for (const [n, input] of sent.entries()) expect(input.split(`it's ${n % 6}`)).toHaveLength(2_001)
})
