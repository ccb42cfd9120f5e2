import { describe, expect, test } from 'vitest'
import { casesOf } from '../support/series.ts'
import { slowNetworkTo } from '../support/slow-network.ts'
import { script } from '../support/transport-options.ts'
import { connect } from './connect.ts'
import { labHost, noLab } from './lab-hosts.ts'

describe.skipIf(noLab)('dropbear', () => {
  test('runs many commands one after the other', async () => {
    await using transport = await connect(labHost('busybox'), false)
    for (let n = 0; n < casesOf({ short: 100, long: 1000 }); n++)
      expect(await transport.exec(script(`echo ${n}`))).toMatchObject({ stdout: `${n}\n`, exitCode: 0 })
  })

  test('runs many at a time', async () => {
    await using transport = await connect(labHost('busybox'), false)
    const numbers = Array.from({ length: 100 }, (_, n) => n)
    const results = await Promise.all(numbers.map((n) => transport.exec(script(`echo ${n}`))))
    expect(results.map(({ stdout }) => Number(stdout))).toEqual(numbers)
  })

  // Where each message takes 20 ms, it ends every connection that carries several sessions.
  test.each(['ssh', 'openssh'] as const)('runs many at a time over a slow network with %s', async (kind) => {
    const host = labHost('busybox')
    await using network = await slowNetworkTo(host.port, 20)
    const sshArgs = ['-o', `HostKeyAlias=[${host.address}]:${host.port}`]
    await using transport = await connect(host, false, { transport: kind, port: network.port, sshArgs })
    const numbers = Array.from({ length: 60 }, (_, n) => n)
    const results = await Promise.all(numbers.map((n) => transport.exec(script(`echo ${n}`))))
    expect(results.map(({ stdout }) => Number(stdout))).toEqual(numbers)
  })
})
