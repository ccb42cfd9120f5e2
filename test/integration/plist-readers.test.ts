import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchAsAgent, programArguments } from '../../src/managers/launchd/definition.ts'
import { plistFields } from '../../src/managers/launchd/fields.ts'
import { launchd } from '../../src/managers/launchd/launchd.ts'
import type { RenderInput } from '../../src/managers/manager.ts'
import { redactedText, Secret, type SecretText } from '../../src/model/secret.ts'
import { type GivenService, inputOf } from '../managers/given-input.ts'
import { anyCharacter } from '../support/any-character.ts'

// Apple's own reader cannot be had here; these two are what others read property lists with.
const readAll = `
import json, plistlib, sys
print(json.dumps([plistlib.load(open(name, 'rb')) for name in sys.argv[1:]]))
`

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'converge-plists-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What no inventory lets through. */
const unwritable = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u2028\u2029\ufeff]/u
const word = fc.string({ unit: anyCharacter, maxLength: 20 }).filter((text) => !unwritable.test(text))
const given = fc.record({
  kind: fc.constantFrom('A', 'B'),
  alias: word,
  extraArgs: fc.array(word, { maxLength: 4 }),
  extraEnv: fc.dictionary(fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/), word, { maxKeys: 3 }),
  keyDelivery: fc.constantFrom('file', 'inline'),
  model: fc.record({ path: word.map((text) => `/Users/op/${text}`) }),
} as const)

function opened(text: SecretText): string {
  return text.map((piece) => (piece instanceof Secret ? piece.reveal() : piece)).join('')
}

function shown(value: string | Secret): string {
  return value instanceof Secret ? value.reveal() : value
}

/** What the specification asks of an agent (its section on agent definitions), and what a real Mac needs besides. */
function wanted(input: RenderInput): unknown {
  const launch = launchAsAgent(input)
  const environment = Object.entries(launch.env).map(([name, value]) => [name, shown(value)] as const)
  const label = `com.example.${input.service.name}`
  const log = `/home/op/Library/Logs/converge/${input.service.name}.log`
  return {
    Label: label,
    ProgramArguments: programArguments(input, launch).map(shown),
    ...(environment.length === 0 ? {} : { EnvironmentVariables: Object.fromEntries(environment) }),
    RunAtLoad: false,
    KeepAlive: { SuccessfulExit: false },
    ProcessType: 'Interactive',
    ExitTimeOut: 60,
    StandardOutPath: log,
    StandardErrorPath: log,
  }
}

describe('property lists', () => {
  const samples = fc.sample(fc.tuple(given, word), { numRuns: 60, seed: 20 })
  const inputs = samples.map(([service, key]) => inputOf({ ...(service as GivenService), manager: 'launchd' }, key))

  it('are read by plistlib as what was meant, whatever text is in them', async () => {
    const files = inputs.map((input, index) => {
      const file = join(folder, `${String(index).padStart(3, '0')}.plist`)
      writeFileSync(file, opened(launchd.render(input).definition.content))
      return file
    })
    const { stdout } = await execa('python3', ['-c', readAll, ...files])
    expect(JSON.parse(stdout)).toEqual(inputs.map(wanted))
  })

  it('are taken by plistutil', async () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.plist'))
    expect(files).toHaveLength(inputs.length)
    for (const name of files) {
      const { exitCode, stderr } = await execa('plistutil', ['-i', join(folder, name), '-f', 'bin', '-o', '/dev/null'], {
        reject: false,
      })
      expect(`${name} ${exitCode} ${stderr}`).toBe(`${name} 0 `)
    }
  })

  it('are read by ourselves field by field, keys as ***', () => {
    for (const input of inputs) {
      const fields = plistFields(redactedText(launchd.render(input).definition.content))
      expect(fields).toMatchObject({ Label: `com.example.${input.service.name}`, 'KeepAlive.SuccessfulExit': 'false' })
    }
    expect(plistFields('<plist><dict>')).toBeUndefined()
    expect(plistFields('bplist00')).toBeUndefined()
  })
})
