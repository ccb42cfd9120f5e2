import { describe, expect, it } from 'vitest'
import type { GgufHeader, ModelFiles } from '../../src/model/facts.ts'
import type { MemoryNeed } from '../../src/model/launch.ts'
import { known, type Observed, type UnknownReason, unknown } from '../../src/model/observed.ts'
import { serverKinds } from '../../src/servers/index.ts'
import { readCases } from '../managers/read-cases.ts'
import { aService, gibibyte, type ServiceOptions } from '../support/build.ts'

interface Missing {
  readonly unknown: UnknownReason
  readonly detail: string
}

interface MemoryCase {
  readonly service: ServiceOptions & { readonly ramGb?: number | null }
  readonly header: GgufHeader | Missing | null
  /** Bytes of each file; null: there is none. */
  readonly files: readonly number[] | null
  readonly expected: Missing | { readonly softGib: number; readonly hardGib: number; readonly parts: readonly string[] }
}

describe('what a server takes in memory', () => {
  it.each(readCases<MemoryCase>('servers/memory'))('%s', (_, { service: given, header, files, expected }) => {
    const service = aService({ ...given, ramGb: given.ramGb ?? undefined })
    const need = serverKinds[service.kind].needs(service, modelOf(header, files))
    expect(need.known ? inGib(need.value) : { unknown: need.because, detail: need.detail }).toEqual(expected)
  })

  it('is unknown where the model is', () => {
    expect(serverKinds.A.needs(aService(), unknown('timed-out', 'the disk sleeps'))).toEqual(
      unknown('timed-out', 'the disk sleeps'),
    )
  })
})

function modelOf(header: MemoryCase['header'], files: MemoryCase['files']): Observed<ModelFiles | null> {
  if (files === null) return known(null)
  const parts = files.map((bytes, index) => ({ path: `/srv/models/part-${index}`, bytes }))
  const cachedBytes = unknown('not-gathered')
  const common = { path: '/srv/models/coder.gguf', type: 'file', shards: parts.length, missing: [], unfinished: [] } as const
  return known({ ...common, files: parts, header: headerOf(header), cachedBytes })
}

function headerOf(header: MemoryCase['header']): Observed<GgufHeader> {
  if (header === null) return unknown('not-gathered')
  return 'unknown' in header ? unknown(header.unknown, header.detail) : known(header)
}

function inGib(need: MemoryNeed) {
  return {
    softGib: rounded(need.softBytes),
    hardGib: rounded(need.hardBytes),
    parts: need.parts.map(({ name, bytes, from }) => `${name}: ${rounded(bytes)} GiB (${from})`),
  }
}

function rounded(bytes: number): number {
  return Number((bytes / gibibyte).toFixed(1))
}
