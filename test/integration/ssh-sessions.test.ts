import { describe, expect, test } from 'vitest'
import type { Faults } from '../../simulation/ssh-server.ts'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import { openTransport } from '../../src/transports/open-transport.ts'
import type { Transport } from '../../src/transports/transport.ts'
import { failure } from '../support/ask-sshd.ts'
import { type SshServer, startSshServer } from '../support/ssh-server.ts'
import { script, transportOptions } from '../support/transport-options.ts'

type Kind = 'ssh' | 'openssh'

function open(server: SshServer, transport: Kind = 'ssh'): Promise<Transport> {
  return openTransport(server.host('nas', { transport }), transportOptions({ sshConfig: server.sshConfig }))
}

const followed = (text: string) => script(text, { followed: true })

const dropbear = (faults: Faults = { cutOnSecondSession: true }) => startSshServer({ software: 'dropbear_2022.83', faults })

describe('a server with few sessions', () => {
  test.each([1, 2, 3])('%i at a time is enough for ten scripts', async (maxSessions) => {
    await using server = await startSshServer({ faults: { maxSessions } })
    const transport = await open(server)
    const results = await Promise.all(Array.from({ length: 10 }, (_, n) => transport.exec(script(`sleep 0.1; echo ${n}`))))
    expect(results.map(({ stdout }) => Number(stdout))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    await transport.close()
  })

  test.each([1, 2, 3])(
    '%i at a time is enough for scripts that follow each other, with others beside them',
    async (maxSessions) => {
      await using server = await startSshServer({ faults: { maxSessions } })
      const transport = await open(server)
      const said: string[] = []
      for (let n = 0; n < 5; n++) {
        const [one, other] = await Promise.all([
          transport.exec(followed(`echo ${n}`)),
          transport.exec(script('echo beside', { readOnly: true })),
        ])
        said.push(one.stdout, other.stdout)
      }
      expect(said).toEqual([0, 1, 2, 3, 4].flatMap((n) => [`${n}\n`, 'beside\n']))
      await transport.close()
    },
  )

  test('none at all is an error for every script', async () => {
    await using server = await startSshServer({ faults: { maxSessions: 0 } })
    const transport = await open(server)
    const errors = await Promise.all([1, 2, 3].map(() => failure(transport.exec(script('true')))))
    expect(errors.map(({ code }) => code)).toEqual([
      'CONNECT.CHANNEL_REFUSED',
      'CONNECT.CHANNEL_REFUSED',
      'CONNECT.CHANNEL_REFUSED',
    ])
    await transport.close()
  })
})

describe('scripts that follow each other', () => {
  test('each find a session, which is opened before', async () => {
    await using server = await startSshServer()
    const transport = await open(server)
    for (const n of [1, 2, 3, 4]) {
      expect(await transport.exec(followed(`echo ${n}; exit ${n}`))).toMatchObject({ stdout: `${n}\n`, exitCode: n })
      await expect.poll(() => server.connections.flatMap(({ execs }) => execs)).toHaveLength(n + 2)
    }
    await transport.close()
  })

  test('carry the tag of their watch, which no shell does that waits', async () => {
    await using server = await startSshServer()
    const transport = await open(server)
    const watch = { tag: 'a-tag-of-this-test', script: 'return 0', args: [] }
    const count = "ps -A -o args= | grep -c '[a]-tag-of-this-test' || :"
    const watched = await transport.exec(script(count, { followed: true, watch }))
    expect(Number(watched.stdout)).toBeGreaterThan(0)
    await expect.poll(() => server.connections.flatMap(({ execs }) => execs)).toHaveLength(3)
    await expect.poll(async () => (await transport.exec(script(count))).stdout).toBe('0\n')
    await transport.close()
  })

  test('leave no shell behind', async () => {
    await using server = await startSshServer()
    const transport = await open(server)
    await transport.exec(followed('true'))
    await expect.poll(() => server.connections.flatMap(({ execs }) => execs)).toHaveLength(3)
    await transport.close()
    await expect.poll(() => server.connections.filter(({ closed }) => !closed)).toEqual([])
  })

  test('do not run over a lost connection', async () => {
    await using server = await startSshServer()
    const transport = await open(server)
    await transport.exec(followed('true'))
    await expect.poll(() => server.connections.flatMap(({ execs }) => execs)).toHaveLength(3)
    server.dropConnections()
    await expect.poll(() => server.connections.filter(({ closed }) => !closed)).toEqual([])
    expect(await failure(transport.exec(followed('true')))).toMatchObject({ code: 'CONNECT.LOST' })
    await transport.close()
  })
})

describe('a server that opens a channel and does not take the command', () => {
  test('now and then is asked again', async () => {
    await using server = await startSshServer({ faults: { notTaken: 3 } })
    const transport = await open(server)
    expect(await transport.exec(script('echo done'))).toMatchObject({ exitCode: 0, stdout: 'done\n' })
    expect(server.connections.flatMap(({ execs }) => execs)).toHaveLength(1)
    await transport.close()
  })

  test('every time is an error', async () => {
    await using server = await startSshServer({ faults: { notTaken: 1000 } })
    const transport = await open(server)
    expect(await failure(transport.exec(script('true')))).toMatchObject({ code: 'CONNECT.CHANNEL_REFUSED' })
    await transport.close()
  })
})

describe.each<Kind>(['ssh', 'openssh'])('a Dropbear that does not bear two sessions on one connection, with %s', (kind) => {
  test('is given one at a time on each', async () => {
    await using server = await dropbear()
    const transport = await open(server, kind)
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => transport.exec(script(`sleep 0.2; echo ${n}`))))
    expect(results.map(({ stdout }) => Number(stdout))).toEqual(Array.from({ length: 20 }, (_, n) => n))
    expect(server.connections.length).toBeLessThanOrEqual(8)
    await transport.close()
    await expect.poll(() => server.connections.filter(({ closed }) => !closed)).toEqual([])
  })

  test('keeps no script waiting for one that lasts', async () => {
    await using server = await dropbear()
    const transport = await open(server, kind)
    const stop = new AbortController()
    const lasting = failure(transport.exec(script('echo begun; sleep 60'), { signal: stop.signal }))
    expect(await transport.exec(script('echo beside it'))).toMatchObject({ stdout: 'beside it\n' })
    stop.abort(new ConvergeError('CONNECT.LOST', { summary: 'ended by the test', why: '', next: [] }))
    expect((await lasting).summary).toBe('ended by the test')
    expect(server.connections.map(({ execs }) => execs.length)).toEqual([1, 1])
    await transport.close()
  })

  test('gets several on one where it grants no further connection', async () => {
    const faults = { refuseLogin: false }
    await using server = await dropbear(faults)
    const transport = await open(server, kind)
    faults.refuseLogin = true
    const results = await Promise.all([1, 2, 3].map((n) => transport.exec(script(`sleep 1; echo ${n}`))))
    expect(results.map(({ stdout }) => Number(stdout))).toEqual([1, 2, 3])
    expect(server.connections.filter(({ execs }) => execs.length > 0)).toHaveLength(1)
    await transport.close()
  })
})

test.each<Kind>(['ssh', 'openssh'])('any other server carries all sessions on one connection with %s', async (kind) => {
  await using server = await startSshServer({ software: 'dropbear_2024.86' })
  const transport = await open(server, kind)
  await Promise.all(Array.from({ length: 10 }, () => transport.exec(script('sleep 0.5'))))
  expect(server.connections).toHaveLength(1)
  await transport.close()
})
