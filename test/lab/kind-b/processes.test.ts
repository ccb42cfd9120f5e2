import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { chat, engineOf, exists, isAlive, KEY, keyed } from './in-tests.ts'
import { until } from './start-double.ts'

const PROGRAM_DIR = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '')

describe('processes and signals', () => {
  it('is one front and one engine with the names of the real ones', async () => {
    await using double = await keyed()
    const engine = await engineOf(double)
    expect(await readFile(`/proc/${engine}/comm`, 'utf8')).toBe('exe\n')
    expect(await readFile(`/proc/${engine}/cmdline`, 'utf8')).toBe([`${PROGRAM_DIR}/colibri`, '0', ''].join('\0'))
    expect(await readFile(`/proc/${double.pid}/comm`, 'utf8')).toBe('python3\n')
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('ends idle with status 0 on %s and leaves nothing', async (signal) => {
    await using double = await keyed()
    const engine = await engineOf(double)
    process.kill(double.pid, signal)
    expect(await double.exit).toEqual({ code: 0, signal: null })
    expect(await isAlive(engine)).toBe(false)
    expect(await exists(join(double.directory, `srv-serve-${double.port}.pid`))).toBe(false)
  })

  it('does not wait for an answer that is being generated', async () => {
    await using double = await keyed({ KINDB_TOKEN_SECONDS: '10' })
    const cut = double.ask('/v1/chat/completions', { headers: KEY, body: chat() })
    await until(async () => (await double.ask('/health', { headers: KEY })).body.includes('"active":1'))
    const started = performance.now()
    double.signalGroup('SIGTERM')
    expect(await cut).toMatchObject({ status: 500 })
    expect(await double.exit).toEqual({ code: 0, signal: null })
    expect(performance.now() - started).toBeLessThan(8000)
  })

  it('takes five seconds and a kill when the engine ignores the signal', async () => {
    await using double = await keyed({ KINDB_IGNORE_TERM: '1' })
    const started = performance.now()
    double.signalGroup('SIGTERM')
    expect(await double.exit).toEqual({ code: 0, signal: null })
    expect(performance.now() - started).toBeGreaterThan(4900)
  })

  it('dies of SIGHUP and leaves its pid file; the engine follows', async () => {
    await using double = await keyed()
    const engine = await engineOf(double)
    process.kill(double.pid, 'SIGHUP')
    expect(await double.exit).toEqual({ code: null, signal: 'SIGHUP' })
    expect(await exists(join(double.directory, `srv-serve-${double.port}.pid`))).toBe(true)
    await until(async () => !(await isAlive(engine)))
  })

  it('lives on without its engine: healthy, and every chat fails', async () => {
    await using double = await keyed()
    process.kill(await engineOf(double), 'SIGKILL')
    await until(async () => (await double.ask('/v1/chat/completions', { headers: KEY, body: chat() })).status === 500)
    const answer = await double.ask('/v1/chat/completions', { headers: KEY, body: chat() })
    expect(answer.body).toContain('"message":"The colibri engine failed to process the request.","type":"server_error"')
    expect((await double.ask('/health')).status).toBe(200)
    expect((await double.ask('/v1/models', { headers: KEY })).status).toBe(200)
    expect(double.stderr()).toContain('request failed: colibri engine dispatcher stopped')
  })
})
