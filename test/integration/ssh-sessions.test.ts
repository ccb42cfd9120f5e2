import { describe, expect, test } from 'vitest'
import { openTransport } from '../../src/transports/open-transport.ts'
import type { Transport } from '../../src/transports/transport.ts'
import { failure } from '../support/ask-sshd.ts'
import { type SshServer, startSshServer } from '../support/ssh-server.ts'
import { script, transportOptions } from '../support/transport-options.ts'

function open(server: SshServer): Promise<Transport> {
  return openTransport(server.host('nas'), transportOptions({ sshConfig: server.sshConfig }))
}

describe('a server with few sessions', () => {
  test.each([1, 2, 3])('%i at a time is enough for ten scripts', async (maxSessions) => {
    await using server = await startSshServer({ faults: { maxSessions } })
    const transport = await open(server)
    const results = await Promise.all(Array.from({ length: 10 }, (_, n) => transport.exec(script(`sleep 0.1; echo ${n}`))))
    expect(results.map(({ stdout }) => Number(stdout))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    await transport.close()
  })

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
