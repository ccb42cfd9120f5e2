import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { takePulse } from '../../src/gather/take-pulse.ts'
import { shTransport } from '../support/sh-transport.ts'

it.each([['/bin/sh'], ['bash'], ['busybox', 'sh']])('a pulse of this machine, by %s', async (...shell) => {
  await using transport = await shTransport(shell)
  const gone = 4_100_000
  const pulse = await takePulse(transport, { platform: 'linux', pids: [process.pid, gone] })
  const start = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ')[19]
  expect(pulse).toMatchObject({ known: true, value: { memory: { known: true } } })
  const processes = pulse.known && pulse.value.processes.known ? pulse.value.processes.value : new Map()
  expect([...processes.keys()]).toEqual([process.pid])
  expect(processes.get(process.pid).start).toBe(start)
  expect(processes.get(process.pid).rssBytes).toBeGreaterThan(10 * 1024 ** 2)
})
