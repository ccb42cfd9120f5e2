import { describe, expect, test } from 'vitest'
import { compose } from '../../src/managers/compose/compose.ts'
import { parseYaml } from '../../src/managers/compose/compose-yaml.ts'
import { launchd } from '../../src/managers/launchd/launchd.ts'
import { parsePlist } from '../../src/managers/launchd/plist-text.ts'
import { systemd } from '../../src/managers/systemd/systemd.ts'
import { redactedText } from '../../src/model/secret.ts'
import { readProjectFile } from '../architecture/source-file.ts'
import { inputOf } from './given-input.ts'

/** Each character that the inventory's schema lets through, between two letters, and each that it keeps out. */
const { $defs } = JSON.parse(readProjectFile('schemas/inventory.schema.json'))
const patterns = [$defs.word, $defs.text, $defs.absolute_path, $defs.service.properties.alias].map(
  ({ pattern }: { readonly pattern: string }) => new RegExp(pattern, 'u'),
)
const all = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code))
const taken = all.filter(isTaken)

/** Words of a thousand characters each: as many arguments as there are characters would take long. */
const words = Array.from(
  { length: Math.ceil(taken.length / 1000) },
  (_, index) => `a${taken.slice(index * 1000, (index + 1) * 1000).join('')}z`,
)

describe('characters that an inventory may hold', () => {
  test('are the same everywhere, but for the comma of an alias', () => {
    const others = all.filter((sign) => patterns.some((pattern) => pattern.test(`/${sign}`) !== isTaken(sign)))
    expect(others).toEqual([','])
  })

  test('are all but those that no definition holds', () => {
    const left = all.filter((sign) => !isTaken(sign)).map((sign) => sign.codePointAt(0) ?? 0)
    expect(left).toHaveLength(65 + 2048 + 66 + 4)
    for (const code of [0, 9, 10, 0x7f, 0x85, 0x2028, 0xd83d, 0xfdd0, 0xfeff, 0xfffd, 0xfffe, 0x1_ffff])
      expect(left).toContain(code)
  })

  test('come out of a unit as text', () => {
    const given = {
      kind: 'A',
      manager: 'systemd',
      executable: '/opt/server',
      extraArgs: words,
      extraEnv: { A: words[0] ?? '' },
    } as const
    const text = redactedText(systemd.render(inputOf(given, null)).definition.content)
    expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text)
    expect(text.split('\n').filter((line) => line.startsWith('ExecStart='))).toHaveLength(1)
  })

  test('are read back from a compose file', () => {
    const text = redactedText(compose.render(inputOf({ extraArgs: words }, null)).definition.content)
    const { services } = parseYaml(text) as { readonly services: { readonly coder: { readonly command: readonly string[] } } }
    expect(services.coder.command.slice(-words.length).map((word) => word.replaceAll('$$', '$'))).toEqual(words)
  })

  test('are read back from a property list', () => {
    const given = { kind: 'A', manager: 'launchd', executable: '/opt/server', extraArgs: words } as const
    const read = parsePlist(redactedText(launchd.render(inputOf(given, null)).definition.content))
    expect(read).toMatchObject({ ProgramArguments: expect.arrayContaining(words) })
  })
})

function isTaken(sign: string): boolean {
  return patterns[0]?.test(sign) === true
}
