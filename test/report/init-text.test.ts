import { describe, expect, test } from 'vitest'
import type { FoundServer } from '../../src/model/adopt-document.ts'
import { mapObserved } from '../../src/model/observed.ts'
import { type InitHost, renderInitHosts, renderStepsAfter, stepsAfterInit } from '../../src/report/init-text.ts'
import { noPaint } from '../../src/report/paint.ts'
import { aHost, someFacts } from '../support/build.ts'

test('what a host says of itself is one line, without control characters', () => {
  const facts = someFacts(aHost())
  const platform = mapObserved(facts.platform, (one) => ({ ...one, distribution: 'Evil\nroot: x\u001b[2J\u202e' }))
  const text = renderInitHosts([{ name: 'nas', facts: { ...facts, platform } }], noPaint)
  expect(text.trimEnd().split('\n')).toHaveLength(1)
  expect(text).toContain(String.raw`Evil\u000aroot: x\u001b[2J\u202e`)
})

function server(more: Partial<FoundServer>): FoundServer {
  return {
    pid: 7,
    program: 'llama-server',
    kind: 'A',
    runs_from: null,
    port: 9990,
    model: null,
    alias: null,
    rss_bytes: 1,
    key: null,
    service: 'coder',
    adoptable: 'no',
    reasons: [],
    waits: [],
    ...more,
  }
}

function steps(
  servers: readonly FoundServer[],
  hosts: readonly InitHost[] = [{ name: 'nas', facts: someFacts(aHost()) }],
): string {
  const found = [{ host: 'nas', servers }]
  const document = { schema: 'converge/adopt/v1', created_at: '', inventory: '', hosts: found, files: [] } as const
  return renderStepsAfter(stepsAfterInit({ folder: 'fleet', hosts, document }), noPaint)
}

describe('the next steps', () => {
  const missing = { code: 'KEY.MISSING', why: '', next: [] }

  test.each([
    ['a server that is adopted', [server({ adoptable: 'adopt' })], 'converge apply --limit nas'],
    ['a server whose key is unknown', [server({ key: 'variable', reasons: [missing] })], 'adopt nas --key-file keys --write'],
    ['a server that only a restart can take over', [server({ adoptable: 'restart' })], 'converge adopt nas'],
    ['no server', [], 'converge init --example'],
  ])('lead on from %s', (_, servers, command) => expect(steps(servers)).toContain(command))

  test('name the example for the platform, and the file for it', () => {
    const facts = someFacts(aHost())
    const platform = mapObserved(facts.platform, (one) => ({ ...one, os: 'macos' as const }))
    const text = steps([], [{ name: 'mini', facts: { ...facts, platform } }])
    expect(text).toContain('converge init --example mac -i example')
    expect(text).toContain('fleet/host_vars/mini.yaml')
  })

  test('name hosts that are missing', () => {
    const facts = { code: 'CONNECT.REFUSED', summary: '', why: '', next: [] }
    expect(steps([], [{ name: 'box', facts }])).toContain('Uncomment box in hosts.yaml')
  })
})
