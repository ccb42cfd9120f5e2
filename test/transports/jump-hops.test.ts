import { describe, expect, test } from 'vitest'
import { parseHops } from '../../src/transports/ssh2/jump-hops.ts'

describe('a ProxyJump', () => {
  test.each([
    ['bastion', [{ name: 'bastion' }]],
    ['ann@bastion:2222', [{ name: 'bastion', user: 'ann', port: 2222 }]],
    ['a,b@c:3,d', [{ name: 'a' }, { name: 'c', user: 'b', port: 3 }, { name: 'd' }]],
    ['[2001:db8::1]:22', [{ name: '2001:db8::1', port: 22 }]],
    ['ann@example.org@bastion', [{ name: 'bastion', user: 'ann@example.org' }]],
    ['ssh://ann@bastion:2222', [{ name: 'bastion', user: 'ann', port: 2222 }]],
    ['a, b', [{ name: 'a' }, { name: 'b' }]],
  ])('%s', (text, hops) => {
    expect(parseHops(text)).toEqual(hops)
  })

  test.each(['', 'a,,b', 'a:b:c', 'a:x'])('%j is refused', (text) => {
    expect(() => parseHops(text)).toThrow(/not a valid ProxyJump/)
  })
})
