import { describe, expect, it } from 'vitest'
import { ConvergeError, InternalError } from '../../src/errors/converge-error.ts'
import { managers } from '../../src/managers/index.ts'
import type { RenderedFile } from '../../src/managers/manager.ts'
import type { ManagerName } from '../../src/model/names.ts'
import { redactedText, Secret } from '../../src/model/secret.ts'
import { type GivenService, inputOf } from './given-input.ts'
import { fixturePath, readCases } from './read-cases.ts'

interface DefinitionCase {
  readonly service: GivenService
  readonly key: string | null
  /** Of the account, if that is not the login account. */
  readonly home?: string
}

describe.each(['compose', 'systemd', 'launchd'] as const)('the files of %s', (name) => {
  const manager = managers[name]
  it.each(readCases<DefinitionCase>(`managers/${name}/definitions`))('%s', async (file, { service, key, home }) => {
    const rendered = manager.render({ ...inputOf({ manager: name, ...service }, key), ...(home === undefined ? {} : { home }) })
    const files =
      rendered === undefined ? [] : [rendered.definition, ...(rendered.keyFile === undefined ? [] : [rendered.keyFile])]
    await expect(files.map(asText).join('')).toMatchFileSnapshot(fixturePath(`managers/${name}/definitions/${file}.expected`))
    expect(files.map(({ content }) => redactedText(content)).join('')).not.toContain(key ?? 'no key, nothing to find')
  })

  it.each(['two\nlines', 'a\u0000b', 'a\u2028b'])('cannot carry the key %j, and does not show it', (key) => {
    for (const keyDelivery of ['file', 'inline'] as const) {
      expect(() => manager.render(inputOf({ kind: 'B', manager: name, image: 'i', keyDelivery }, key))).toThrow(
        expect.objectContaining({ code: 'DEFINITION.KEY', why: expect.not.stringContaining(key) }),
      )
    }
  })
})

it.each(["it's", 'a\\b', 'a${b}'])('a container’s environment file cannot carry the key %j', (key) => {
  expect(() => managers['compose'].render(inputOf({ kind: 'B', manager: 'compose', image: 'i' }, key))).toThrow(ConvergeError)
})

it.each<[ManagerName, GivenService]>([
  ['compose', { manager: 'compose', image: null }],
  ['systemd', { manager: 'systemd', alias: 'two\nlines' }],
])('what the inventory never lets through is a bug (%s)', (name, service) => {
  expect(() => managers[name].render(inputOf(service, null))).toThrow(InternalError)
})

/** As it would lie on the host, key and all: the key of a test is none. */
function asText({ path, mode, owner, content }: RenderedFile): string {
  const text = content.map((piece) => (piece instanceof Secret ? piece.reveal() : piece)).join('')
  return `==> ${path} ${mode.toString(8)}${owner === undefined ? '' : ` ${owner}`}\n${text}`
}
