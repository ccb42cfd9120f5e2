import { describe, expect, test } from 'vitest'
import { fingerprint, judgeKey, keyTypeOf, offeredAlgorithms } from '../../src/transports/trust/judge-key.ts'
import { type KnownKeys, noKeys, parseFound } from '../../src/transports/trust/known-keys.ts'
import { readPlainKnownHosts } from '../../src/transports/trust/plain-known-hosts.ts'

/** A public key blob of this type; its content is not a real key. */
function blob(type: string, content = 'x'): Buffer {
  const name = Buffer.from(type)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(name.length)
  return Buffer.concat([length, name, Buffer.from(content)])
}

function knows(...keys: readonly Buffer[]): KnownKeys {
  return {
    ...noKeys,
    trusted: keys.map((key) => ({ type: keyTypeOf(key), blob: key.toString('base64'), file: 'known_hosts', line: 1 })),
  }
}

const shown = blob('ssh-ed25519', 'shown')
const other = blob('ssh-ed25519', 'other')

describe('a host key that is shown', () => {
  test.each([
    { name: 'is trusted when it is known', known: knows(other, shown), verdict: 'trusted' },
    { name: 'is unknown when nothing is', known: noKeys, verdict: 'unknown' },
    { name: 'has changed when others are known', known: knows(other), verdict: 'changed' },
    { name: 'has changed even when only one of another type is known', known: knows(blob('ssh-rsa')), verdict: 'changed' },
    { name: 'is revoked although it is trusted', known: { ...knows(shown), revoked: knows(shown).trusted }, verdict: 'revoked' },
  ])('$name', ({ known, verdict }) => {
    expect(judgeKey(shown, known)).toBe(verdict)
  })

  test('has the fingerprint that ssh-keygen prints', () => {
    const key = Buffer.from('AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl', 'base64')
    expect(fingerprint(key)).toBe('SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU')
  })
})

describe('the algorithms that are offered', () => {
  const all = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'rsa-sha2-512', 'rsa-sha2-256']

  test.each([
    {
      name: 'begin with those of the known key',
      known: knows(blob('ecdsa-sha2-nistp256')),
      allowed: [],
      first: ['ecdsa-sha2-nistp256'],
    },
    {
      name: 'begin with both of an RSA key',
      known: knows(blob('ssh-rsa')),
      allowed: [],
      first: ['rsa-sha2-512', 'rsa-sha2-256'],
    },
    { name: 'are all there is when nothing is known', known: noKeys, allowed: [], first: all },
  ])('$name, and leave none out', ({ known, allowed, first }) => {
    const offered = offeredAlgorithms(known, allowed)
    expect(offered.slice(0, first.length)).toEqual(first)
    expect(offered.toSorted()).toEqual(all.toSorted())
  })

  test('are none that the ssh config rules out, nor any with SHA-1', () => {
    expect(offeredAlgorithms(noKeys, ['rsa-sha2-256', 'ssh-rsa', 'ssh-ed25519-cert-v01@openssh.com'])).toEqual(['rsa-sha2-256'])
  })
})

describe('what ssh-keygen -F prints', () => {
  test('is read with its markers', () => {
    const printed = [
      '# Host nas found: line 1 ',
      'nas ssh-ed25519 AAAAplain a comment',
      '# Host nas found: line 3 CA',
      '@cert-authority *.lan ssh-ed25519 AAAAauthority',
      '# Host nas found: line 4 REVOKED',
      '@revoked * ssh-rsa AAAArevoked',
      '# Host nas found: line 9 ',
      '|1|c2FsdA==|aGFzaA== ecdsa-sha2-nistp256 AAAAhashed',
      '',
    ].join('\n')
    expect(parseFound(printed, 'kh')).toEqual({
      trusted: [
        { type: 'ssh-ed25519', blob: 'AAAAplain', file: 'kh', line: 1 },
        { type: 'ecdsa-sha2-nistp256', blob: 'AAAAhashed', file: 'kh', line: 9 },
      ],
      revoked: [{ type: 'ssh-rsa', blob: 'AAAArevoked', file: 'kh', line: 4 }],
      authority: true,
    })
  })

  test('may be nothing', () => {
    expect(parseFound('', 'kh')).toEqual(noKeys)
  })
})

describe('plain lines of a known-hosts file', () => {
  const text = [
    '# nas ssh-ed25519 AAAAcomment',
    'nas,10.0.0.1 ssh-ed25519 AAAAone',
    '[nas]:2222 ssh-rsa AAAAtwo',
    '*.lan ssh-rsa AAAAwild',
    '!nas,* ssh-rsa AAAAnot',
    '|1|s|h ssh-rsa AAAAhashed',
    '',
  ].join('\n')

  test.each([
    ['nas', ['AAAAone']],
    ['10.0.0.1', ['AAAAone']],
    ['[nas]:2222', ['AAAAtwo']],
    ['a.lan', []],
    ['box', []],
  ])('%s has %j', (name, blobs) => {
    expect(
      readPlainKnownHosts(text, 'kh')
        .keysOf(name)
        ?.map((key) => key.blob),
    ).toEqual(blobs)
  })

  test('settle nothing in a file with markers', () => {
    expect(readPlainKnownHosts(`${text}@revoked * ssh-rsa AAAA\n`, 'kh').keysOf('nas')).toBeUndefined()
  })
})
