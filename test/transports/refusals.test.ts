import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { opensshFailed } from '../../src/transports/errors/openssh-errors.ts'
import { sudoRefusal } from '../../src/transports/errors/sudo-errors.ts'

interface Case {
  readonly said: string
  readonly code: string | null
}

const file = new URL('../fixtures/transports/refusals.json', import.meta.url)
const cases: { readonly sudo: readonly Case[]; readonly openssh: readonly Case[] } = JSON.parse(readFileSync(file, 'utf8'))
const place = { host: 'nas', at: 'op@192.0.2.1 port 22', sshCommand: 'ssh nas' }

describe('what sudo says', () => {
  test.each(cases.sudo)('$said is $code', ({ said, code }) => {
    expect(sudoRefusal(place, 'root', said)?.code ?? null).toBe(code)
  })
})

describe('what ssh says', () => {
  test.each(cases.openssh)('$said is $code', ({ said, code }) => {
    const error = opensshFailed(place, said)
    expect(error.code).toBe(code)
    expect(error.why).toContain(code === 'CONNECT.SSH_CONFIG' ? 'OpenSSH' : 'nas')
    expect(error.next).not.toEqual([])
  })

  test('a host that cannot be reached is pinged where it is', () => {
    const { next } = opensshFailed(place, 'ssh: connect to host 192.0.2.1 port 22: No route to host')
    expect(next.map(String)).toContain('ping 192.0.2.1')
  })

  test('a changed key is reported with both keys and the command that removes the old one', () => {
    const changed = cases.openssh.find(({ code }) => code === 'CONNECT.HOST_KEY_CHANGED')
    const error = opensshFailed(place, changed?.said ?? '')
    expect(error.why).toContain('SHA256:abcdefg')
    expect(error.why).toContain('/home/op/.ssh/known_hosts:7')
    expect(error.next.join('\n')).toContain('ssh-keygen -f "/home/op/.ssh/known_hosts" -R "nas"')
  })
})
