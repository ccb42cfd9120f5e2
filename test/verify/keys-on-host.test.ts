import { chmod, symlink, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { known } from '../../src/model/observed.ts'
import { Secret } from '../../src/model/secret.ts'
import { busyNow } from '../../src/verify/busy-now.ts'
import { httpFacts } from '../../src/verify/http-facts.ts'
import { keysOnHost } from '../../src/verify/keys-on-host.ts'
import { startKindA, startKindB } from '../support/model-servers.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'

async function keysIn(content: string, prepare: (path: string) => Promise<unknown> = async () => undefined) {
  await using transport = await shTransport()
  const path = await keyFile(transport, content)
  await prepare(path)
  const keys = await keysOnHost(transport, [path])
  expect(transport.seen.flat().join(' ')).not.toContain('old-key')
  return keys.map((key) => ({
    is: (text: string) => key.matches(new RegExp(`^${text.replace(/[$"\\]/g, '\\$&')}$`)),
    text: String(key),
  }))
}

const otherKeys = async () => [new Secret('no-key', 'a test'), new Secret('old-key', 'a test')]
const never = async () => Promise.reject(new Error('they are not needed'))

async function keyFile(transport: ShTransport, content: string): Promise<string> {
  const path = `${transport.folder}/key file`
  await writeFile(path, content)
  return path
}

describe('the keys in a file on a host', () => {
  it.each([
    ['the bare key', 'old-key', 'old-key'],
    ['one with a line break behind it', 'old-key\n', 'old-key'],
    ['an environment file of systemd', 'SRV_API_KEY="old-key\\$\\"x"\n', 'old-key$"x'],
    ['an environment file of compose', "SRV_API_KEY='old-key$x'\n", 'old-key$x'],
    ['one that a shell reads', "SRV_API_KEY='old-key'\\''x'\n", "old-key'x"],
  ])('%s', async (_, content, key) => {
    const [found, ...more] = await keysIn(content)
    expect(found?.is(key)).toBe(true)
    expect(found?.text).toBe('***')
    expect(more).toEqual([])
  })

  it.each([
    ['nothing that could be sent', 'an old key with blanks\n\u0001\n\n', undefined],
    ['more than a key can be', 'x'.repeat(20_000), undefined],
    ['a key of this run, which arrives hidden', '***\n', undefined],
  ])('%s is not a key', async (_, content) => {
    expect(await keysIn(content)).toEqual([])
  })

  it('a link is not followed, and a missing file is no error', async () => {
    await using transport = await shTransport()
    await keyFile(transport, 'old-key')
    await symlink('key file', `${transport.folder}/link`)
    expect(await keysOnHost(transport, [`${transport.folder}/link`, `${transport.folder}/none`])).toEqual([])
    await chmod(`${transport.folder}/key file`, 0o600)
  })

  it('a host that cannot be asked has none', async () => {
    await using transport = await shTransport()
    transport.cut()
    expect(await keysOnHost(transport, ['/any'])).toEqual([])
  })
})

describe.each([
  ['A', startKindA, expect.objectContaining({ because: 'not-gathered' })],
  ['B', startKindB, known(0)],
] as const)('a Kind %s that was started with another key', (kind, start, completed: unknown) => {
  const key = new Secret('new-key', 'a test')

  it('reports its requests to that one, and that it rejects ours', async () => {
    await using server = await start({ key: 'old-key', busy: 1 })
    await using transport = await shTransport()
    const question = { service: 'coder', port: server.port, kind, key, otherKeys, timeoutMs: 20_000 }
    const facts = await httpFacts(transport, question)
    expect(facts).toMatchObject({ value: { busy: known(1), completed, keyAccepted: known(false) } })
    expect(await busyNow(transport, question)).toEqual({ kind: 'busy', requests: 1 })
  })

  it('reports them if no key is configured any more', async () => {
    await using server = await start({ key: 'old-key', busy: 1 })
    await using transport = await shTransport()
    const question = { service: 'coder', port: server.port, kind, keyless: true, otherKeys, timeoutMs: 20_000 }
    expect(await httpFacts(transport, question)).toMatchObject({ value: { busy: known(1), keyAccepted: known(false) } })
  })

  it('is asked with ours alone where it takes that', async () => {
    await using server = await start({ key: 'new-key', busy: 1 })
    await using transport = await shTransport()
    const asked = { service: 'coder', port: server.port, kind, key, timeoutMs: 20_000 }
    expect(await httpFacts(transport, { ...asked, otherKeys: never })).toMatchObject({
      value: { busy: known(1), keyAccepted: known(true) },
    })
    expect(await busyNow(transport, { ...asked, otherKeys: never })).toEqual({ kind: 'busy', requests: 1 })
  })

  it('reports nothing if it accepts none of them', async () => {
    await using server = await start({ key: 'a-third-key', busy: 1 })
    await using transport = await shTransport()
    const question = { service: 'coder', port: server.port, kind, key, otherKeys, timeoutMs: 20_000 }
    expect(await httpFacts(transport, question)).toMatchObject({ value: { busy: { known: false, because: 'not-permitted' } } })
    expect(await busyNow(transport, question)).toEqual({ kind: 'unreported' })
  })
})
