import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../src/endpoints/endpoint.ts'
import { endpointFormats } from '../../src/endpoints/formats/index.ts'
import { unfitWords } from '../../src/endpoints/must-fit.ts'
import type { EndpointFormatName } from '../../src/model/names.ts'
import { Secret } from '../../src/model/secret.ts'
import { endpointAt, endpointLot } from '../support/arbitrary-endpoint.ts'

const lots = fc.sample(endpointLot, 300)
const endpoints = lots.map((lot, index) => endpointAt(index, lot))

describe('a shell that reads', () => {
  it('variables gets each model and key as they were listed', () => {
    const fit = endpoints.filter((one) => unfitWords('env', [one]) === undefined)
    expect(fit.length).toBeGreaterThan(100)
    const read = environmentOf('env', fit)
    for (const { prefix, model, baseUrl, key } of fit) {
      expect(read.get(`${prefix}_MODEL`)).toBe(model)
      expect(read.get(`${prefix}_BASE_URL`)).toBe(baseUrl)
      expect(read.get(`${prefix}_API_KEY`)).toBe(key === undefined ? 'none' : (key.value?.reveal() ?? `value of ${key.variable}`))
    }
  })

  /** As its sources split them: at semicolons, without spaces around, and an empty list means api.openai.com. */
  it('the lists of Open WebUI gets as many keys as addresses, in one order', () => {
    for (const isOpen of [true, false]) {
      const fit = lots
        .map((lot, index) => endpointAt(index, { ...lot, isOpen }))
        .filter((one) => unfitWords('openwebui', [one]) === undefined)
      expect(fit.length).toBeGreaterThan(100)
      const read = environmentOf('openwebui', fit)
      const lists = ['OPENAI_API_BASE_URLS', 'OPENAI_API_KEYS'].map((name) =>
        read
          .get(name)
          ?.split(';')
          .map((one) => one.trim()),
      )
      expect(lists).toEqual([
        fit.map(({ baseUrl }) => baseUrl),
        fit.map(({ key }) => (key === undefined ? 'none' : (key.value?.reveal() ?? `value of ${key.variable}`))),
      ])
      expect(read.get('ENABLE_OPENAI_API')).toBe('True')
    }
    expect(environmentOf('openwebui', []).get('ENABLE_OPENAI_API')).toBe('False')
  })
})

function environmentOf(name: EndpointFormatName, of: readonly Endpoint[]): ReadonlyMap<string, string> {
  const text = endpointFormats[name]
    .write(of, ['the head'])
    .map((piece) => (piece instanceof Secret ? piece.reveal() : piece))
    .join('')
  const given = Object.fromEntries(
    of.flatMap(({ key }) => (key === undefined ? [] : [[key.variable, `value of ${key.variable}`]])),
  )
  const output = execFileSync('dash', ['-c', 'set -eu; set -a; eval "$(cat)"; env -0'], {
    input: text,
    env: { PATH: process.env['PATH'], ...given },
    encoding: 'utf8',
  })
  return new Map(output.split('\0').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}
