import { basename, dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { factsPath } from '../../src/run/facts-folder.ts'

describe('the file of a host', () => {
  it.each([
    ['nas', 'nas.facts.json'],
    ['box.example.com', 'box.example.com.facts.json'],
    ['NAS', '%4e%41%53.facts.json'],
    ['../../etc/passwd', '%2e.%2f..%2fetc%2fpasswd.facts.json'],
    ['..', '%2e..facts.json'],
    ['a b', 'a%20b.facts.json'],
    ['büro', 'b%c3%bcro.facts.json'],
    ['fe80::1%eth0', 'fe80%3a%3a1%25eth0.facts.json'],
  ])('of %s is %s', (host, name) => expect(factsPath('/f', host)).toBe(`/f/${name}`))

  it('has a name that every file system takes, and of its own, however long that of the host is', () => {
    const names = ['a'.repeat(400), `${'a'.repeat(399)}b`, 'ü'.repeat(255)].map((host) => factsPath('/f', host))
    for (const path of names) {
      expect(dirname(path)).toBe('/f')
      expect(basename(path).length).toBeLessThan(200)
    }
    expect(new Set(names).size).toBe(3)
  })
})
