import { describe, expect, test } from 'vitest'
import { script } from '../support/transport-options.ts'
import { connect } from './connect.ts'
import { labHost, noLab } from './lab-hosts.ts'

describe.skipIf(noLab)('dropbear', () => {
  test('runs many commands one after the other on one connection, though it loses some of the channels', async () => {
    await using transport = await connect(labHost('busybox'), false)
    for (let n = 0; n < 200; n++)
      expect(await transport.exec(script(`echo ${n}`))).toMatchObject({ stdout: `${n}\n`, exitCode: 0 })
  })

  test('runs many at a time', async () => {
    await using transport = await connect(labHost('busybox'), false)
    const numbers = Array.from({ length: 100 }, (_, n) => n)
    const results = await Promise.all(numbers.map((n) => transport.exec(script(`echo ${n}`))))
    expect(results.map(({ stdout }) => Number(stdout))).toEqual(numbers)
  })
})
