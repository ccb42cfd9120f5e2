import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../src/endpoints/endpoint.ts'
import { endpointFormats } from '../../src/endpoints/formats/index.ts'
import { listEndpoints } from '../../src/endpoints/list-endpoints.ts'
import { unfitWords } from '../../src/endpoints/must-fit.ts'
import { loadInventory } from '../../src/load/load.ts'
import type { EndpointFormatName } from '../../src/model/names.ts'
import { Secret } from '../../src/model/secret.ts'
import { renderEndpointNotes, renderEndpoints } from '../../src/report/endpoints-text.ts'
import { plainPaint } from '../../src/report/paint.ts'
import { endpointAt, endpointLot } from '../support/arbitrary-endpoint.ts'
import { clients } from './clients.ts'

const folder = 'test/fixtures/endpoints/odd'
const names = Object.keys(endpointFormats) as EndpointFormatName[]

describe('the endpoints of an inventory', () => {
  it.each([
    ['anywhere', {}],
    ['on a host', { on: 'nas' }],
    ['on a host that is reached through another', { on: 'jump' }],
    ['with those that are unmanaged', { unmanaged: true }],
  ] as const)('for clients %s', async (name, question) => {
    const { fleet } = await loadInventory(join(folder, 'inventory.yaml'))
    const list = listEndpoints(fleet, { selects: () => true, ...question })
    const text = `${renderEndpoints(list.endpoints, plainPaint({}))}\n${renderEndpointNotes(list, 'shared by them')}`
    await expect(text).toMatchFileSnapshot(join('../..', folder, `${name.replaceAll(' ', '-')}.txt`))
  })

  it.each(names)('as a file for %s', async (name) => {
    const { fleet } = await loadInventory(join(folder, 'inventory.yaml'))
    const { endpoints } = listEndpoints(fleet, { selects: () => true })
    expect(unfitWords(name, endpoints)).toBeUndefined()
    await expect(textOf(name, endpoints)).toMatchFileSnapshot(join('../..', folder, `as-${name}.txt`))
  })

  it('have the same variables whichever of them are listed', async () => {
    const { fleet } = await loadInventory(join(folder, 'inventory.yaml'))
    const { endpoints } = listEndpoints(fleet, { selects: () => true })
    for (const endpoint of endpoints) {
      const alone = listEndpoints(fleet, { selects: ({ name }) => name === endpoint.service })
      expect(alone.endpoints).toEqual([endpoint])
    }
    const written = endpoints.flatMap(({ prefix }) => ['BASE_URL', 'MODEL', 'API_KEY'].map((end) => `${prefix}_${end}`))
    expect(new Set(written).size).toBe(written.length)
    const others = endpoints.flatMap(({ prefix, key }) => (key?.variable === `${prefix}_API_KEY` ? [] : (key?.variable ?? [])))
    expect(others.filter((variable) => written.includes(variable))).toEqual([])
  })
})

it.each(['endpoints', 'endpoints-litellm'])('the page shows what the command prints: %s', (name) => {
  const [, stdout = ''] = /--- stdout\n([^]*)--- stderr/.exec(readFileSync(`test/fixtures/cli/${name}.txt`, 'utf8')) ?? []
  expect(readFileSync('docs/endpoints.md', 'utf8')).toContain(stdout)
})

describe('a file', () => {
  it.each(Object.keys(clients) as EndpointFormatName[])('for %s means to its client what was listed, or is refused', (name) => {
    const counts = { read: 0, refused: 0 }
    fc.assert(
      fc.property(fc.array(endpointLot, { minLength: 1, maxLength: 3 }), (lots) => {
        const endpoints = lots.map((lot, index) => endpointAt(index, lot))
        if (unfitWords(name, endpoints) !== undefined) {
          counts.refused += 1
          return
        }
        counts.read += 1
        const variables = Object.fromEntries(lots.map((_, index) => [`KEY_${index}`, `key-${index}`]))
        expect(clients[name]?.(textOf(name, endpoints), variables)).toEqual(
          endpoints.map(({ model, baseUrl, key }, index) => ({
            model,
            baseUrl,
            key:
              key === undefined ? withoutKey[name] : (key.value?.reveal() ?? (name === 'json' ? key.variable : `key-${index}`)),
          })),
        )
      }),
      { numRuns: 300 },
    )
    expect(counts.read).toBeGreaterThan(50)
  })

  it.each([
    ['litellm', { model: 'gpt-*' }, 'The model name "gpt-*" of coder@h0 contains `*`'],
    ['litellm', { model: 'os.environ/HOME' }, 'starts with `os.environ/`'],
    ['litellm', { model: 'a', key: 'os.environ/HOME' }, 'The key of coder@h0 starts with `os.environ/`'],
    ['continue', { model: '${{ secrets.X }}' }, 'contains `${{`'],
    ['continue', { model: 'a', key: '${{ secrets.X }}' }, 'The key of coder@h0 contains `${{`'],
    ['llama-swap', { model: '${env.HOME}' }, 'contains `${`'],
    ['llama-swap', { model: 'a', key: 'x${PORT}' }, 'The key of coder@h0 contains `${`'],
    ['openwebui', { model: 'a', key: 'x;y' }, 'The key of coder@h0 contains a semicolon'],
    ['openwebui', { model: 'a', key: 'x ' }, 'starts or ends with a space'],
    ['env', { model: 'a\u202eb' }, 'contains invisible characters'],
  ] as const)('for %s cannot hold %o', (name, lot, words) => {
    const endpoint = endpointAt(0, { key: null, ...lot, isOpen: true })
    const said = unfitWords(name, [endpoint]) ?? ''
    expect(said).toContain(words)
    expect(said).not.toContain('key' in lot ? lot.key : 'no key')
  })

  it('for Open WebUI cannot hold an address with a semicolon', () => {
    const endpoint = { ...endpointAt(0, { model: 'a', key: null, isOpen: false }), baseUrl: 'http://nas:9990/a;b/v1' }
    expect(unfitWords('openwebui', [endpoint])).toContain('The address http://nas:9990/a;b/v1 of coder@h0 contains a semicolon')
  })

  it.each(names)('for %s shows no key that it contains', (name) => {
    const endpoint = withKey('s3cret')
    expect(endpointFormats[name].write([endpoint], []).join('')).not.toContain('s3cret')
    expect(textOf(name, [endpoint])).toContain('s3cret')
  })

  it.each(names.filter((name) => name !== 'json'))('for %s holds no key with a control character', (name) => {
    expect(() => textOf(name, [withKey('s3cr\tet')])).toThrow('a character that its file cannot hold')
  })

  it('for scripts holds every key', () => expect(textOf('json', [withKey('s3cr\tet')])).toContain(String.raw`s3cr\tet`))
})

function withKey(key: string): Endpoint {
  return endpointAt(0, { model: 'a', key, isOpen: true })
}

/** What a client sends to a server without a key. */
const withoutKey: Readonly<Partial<Record<EndpointFormatName, string>>> = { litellm: 'none' }

function textOf(name: EndpointFormatName, endpoints: readonly Endpoint[]): string {
  const { write, advice } = endpointFormats[name]
  const pieces = write(endpoints, name === 'json' ? [] : advice)
  return pieces.map((piece) => (piece instanceof Secret ? piece.reveal() : piece)).join('')
}
