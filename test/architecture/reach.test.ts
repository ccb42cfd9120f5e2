import { describe, expect, test } from 'vitest'
import { actorsOutside, senders, wrongDoors, wrongReach } from './reach.ts'
import { type SourceFile, sourceFile } from './source-file.ts'

function files(samples: Readonly<Record<string, string>>): readonly SourceFile[] {
  return Object.entries(samples).map(([path, text]) => sourceFile(path, text))
}

function writes(path: string): boolean {
  return path === 'src/c.ts'
}

describe('reach', () => {
  test.each(["import { c } from './c.ts'", "import type { C } from './c.ts'", "const c = () => import('./c.ts')"])(
    'a chain of imports to code that writes is found, whatever its length: %s',
    (last) => {
      const chain = files({ 'src/a.ts': "import './b.ts'", 'src/b.ts': last, 'src/c.ts': '' })
      expect(wrongReach(['src/a.ts'], chain, writes)).toEqual(['src/a.ts → src/b.ts → src/c.ts'])
      expect(wrongReach(['src/a.ts'], chain.slice(1), writes)).toEqual(['src/a.ts: is not there'])
    },
  )

  test('a file without such a chain is not found', () => {
    const apart = files({ 'src/a.ts': "import './b.ts'", 'src/b.ts': '', 'src/c.ts': "import './a.ts'" })
    expect(wrongReach(['src/a.ts', 'src/b.ts'], apart, writes)).toEqual([])
  })

  test('a door is for those it is for', () => {
    const house = files({ 'src/a.ts': "import './c.ts'", 'src/b.ts': "import type { C } from './c.ts'", 'src/c.ts': '' })
    expect(wrongDoors(house, { 'src/c.ts': ['src/a.ts', 'src/b.ts'] })).toEqual([])
    expect(wrongDoors(house, { 'src/c.ts': ['src/a.ts'] })).toEqual(['src/b.ts:1: imports src/c.ts, which is not for it'])
    expect(wrongDoors(house.slice(1), { 'src/c.ts': ['src/a.ts', 'src/b.ts'] })).toHaveLength(1)
  })

  test('a file that sends acting scripts is found', () => {
    const sending = files({
      'src/a.ts': 'await transport.exec(b)',
      'src/b.ts': '// transport.exec(b)',
      'src/c.ts': '/x/.exec(b)',
    })
    expect(senders(sending)).toEqual(['src/a.ts'])
  })

  test('a file that names acting scripts is found', () => {
    const named = files({
      'src/a.ts': 'const a: Transport = b',
      'src/b.ts': '// Transport',
      'src/c.ts': 'const a: Transport = b',
    })
    expect(actorsOutside(named, writes)).toEqual(['src/a.ts:1: has what acts on a host'])
  })
})
