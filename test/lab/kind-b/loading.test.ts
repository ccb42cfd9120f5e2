import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { connects, engineOf, exists, isAlive, keyed } from './in-tests.ts'
import { type Answer, startDouble, until } from './start-double.ts'

describe('while it loads', () => {
  it('accepts connections and stays silent, then answers what waited', async () => {
    await using double = await startDouble({ env: { KINDB_LOAD_SECONDS: '5' } })
    await until(() => connects(double.port))
    const parked: Promise<Answer> = double.ask('/health')
    expect(await Promise.race([parked, sleep(700, 'silent')])).toBe('silent')
    expect((await parked).status).toBe(200)
  })

  it('dies by the signal, and its engine stays until it is ready', async () => {
    await using double = await startDouble({ env: { KINDB_LOAD_SECONDS: '5' } })
    await until(async () => (await engineOf(double)) > 0)
    const engine = await engineOf(double)
    process.kill(double.pid, 'SIGTERM')
    expect(await double.exit).toEqual({ code: null, signal: 'SIGTERM' })
    expect(await isAlive(engine)).toBe(true)
    expect(await exists(join(double.directory, `srv-serve-${double.port}.pid`))).toBe(true)
    await until(async () => !(await isAlive(engine)))
  })

  it('dies of an interrupt with a traceback and without its pid file', async () => {
    await using double = await startDouble({ env: { KINDB_LOAD_SECONDS: '5' } })
    // The engine of the double is Python, which has a traceback of its own until it has started.
    await until(() => double.stderr().includes('[RAM_GB='))
    double.signalGroup('SIGINT')
    expect(await double.exit).toEqual({ code: null, signal: 'SIGINT' })
    expect(double.stderr()).toMatch(/KeyboardInterrupt\n$/)
    expect(await exists(join(double.directory, `srv-serve-${double.port}.pid`))).toBe(false)
  })

  it.each(['0', '3'])('ends with status 1 when the engine ends with %s', async (status) => {
    await using double = await startDouble({ env: { KINDB_LOAD_EXIT: status, KINDB_LOAD_SECONDS: '0' } })
    expect(await double.exit).toEqual({ code: 1, signal: null })
    expect(double.stderr()).toMatch(/RuntimeError: colibri engine exited unexpectedly\n$/)
  })

  it('refuses a plan that the machine cannot hold, unless a budget says that it can', async () => {
    const env = { KINDB_SMALLEST_PLAN_GB: '100000', KINDB_LOAD_SECONDS: '0' }
    await using refused = await startDouble({ env })
    expect(await refused.exit).toEqual({ code: 1, signal: null })
    expect(refused.stderr()).toContain('[RAM] refusing to start')
    await using believed = await startDouble({ env: { ...env, RAM_GB: '100000' } })
    await believed.ready()
  })

  it('listens on stderr only', async () => {
    await using double = await keyed()
    expect(double.stderr()).toContain(`OpenAI-compatible API listening on http://127.0.0.1:${double.port}/v1\n`)
    expect(double.stdout()).toBe('')
  })
})
