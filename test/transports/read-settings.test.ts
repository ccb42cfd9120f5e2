import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ConfigDump } from '../../src/transports/settings/config-dump.ts'
import type { Destination } from '../../src/transports/settings/destination.ts'
import { expandTokens, type TokenContext } from '../../src/transports/settings/expand-tokens.ts'
import { readSettings } from '../../src/transports/settings/read-settings.ts'

interface Case {
  readonly name: string
  readonly dump: string
  readonly destination: Destination
  readonly expect: Readonly<Record<string, unknown>>
  readonly absent?: readonly string[]
}

const folder = new URL('../fixtures/transports/ssh-config/', import.meta.url)
const cases: readonly Case[] = JSON.parse(readFileSync(new URL('cases.json', folder), 'utf8'))
const local = { user: 'op', home: '/home/op', uid: 1000 }

describe('what ssh -G answers', () => {
  test.each(cases)('$name', ({ dump, destination, expect: expected, absent = [] }) => {
    const text = readFileSync(new URL(`${dump}.txt`, folder), 'utf8')
    const settings = readSettings(new ConfigDump(text), {
      destination,
      arguments: destination.sshArgs,
      local,
      env: { SSH_AUTH_SOCK: '/run/agent' },
    })
    expect(settings).toMatchObject(expected)
    for (const key of absent) expect(settings).not.toHaveProperty(key)
  })

  test('with a token that ssh does not know is an error that names it', () => {
    const input = { destination: { name: 'nas', sshArgs: [] }, arguments: [], local, env: {} }
    expect(() => readSettings(new ConfigDump('hostname nas\nidentityfile ~/id_%y\n'), input)).toThrow(/id_%y/)
  })
})

describe('tokens of ssh_config(5)', () => {
  const to: TokenContext = { name: 'nas', hostname: 'nas.lan', port: 2222, user: 'ann', local }

  test.each([
    ['%n %h %p %r', 'nas nas.lan 2222 ann'],
    ['%u %d %i', 'op /home/op 1000'],
    ['%k', 'nas'],
    ['100%%', '100%'],
    ['%%h', '%h'],
    ['~/x', '/home/op/x'],
    ['~', '/home/op'],
    ['~other/x', '~other/x'],
    ['/a/~/x', '/a/~/x'],
    ['${RUN}/s', '/run/s'],
    ['${UNSET}', '${UNSET}'],
    ['plain', 'plain'],
  ])('%s becomes %s', (text, expanded) => {
    expect(expandTokens(text, to, { RUN: '/run' })).toBe(expanded)
  })

  test('%k is the alias where there is one', () => {
    expect(expandTokens('%k', { ...to, hostKeyAlias: 'vault' }, {})).toBe('vault')
  })

  test.each(['%y', '50%', '% x'])('%s is invalid', (text) => {
    expect(expandTokens(text, to, {})).toBeUndefined()
  })
})
