import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { Knobs } from '../../simulation/kind-b/knobs.ts'
import { writeModelFolder } from '../../simulation/kind-b/model-folder.ts'
import { processesOf } from '../../simulation/processes.ts'
import { pathOf } from '../../simulation/tool-socket.ts'

// As the double of the lab, which is compared with the real program; what is not the same there is not asked here.

const port = 13_510
const chat = { model: 'flagship', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }
let folder: string
let server: ChildProcess
let said: string

afterEach(async () => {
  if (server.exitCode === null && server.signalCode === null) {
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
  await rm(folder, { recursive: true, force: true })
})

async function start(
  flags: readonly string[] = [],
  knobs: Knobs = {},
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'kind-b-'))
  const [program, model] = [join(folder, 'serve'), join(folder, 'model')]
  writeModelFolder(model)
  await writeFile(`${program}.knobs.json`, JSON.stringify(knobs))
  const words = ['python3', program, 'serve', '--port', String(port), '--model-id', 'flagship', ...flags]
  server = spawn(process.execPath, [pathOf('./kind-b/server.ts'), ...words], {
    env: { SRV_MODEL: model, SRV_API_KEY: 'secret', ...env },
  })
  said = ''
  server.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
}

async function ended(): Promise<readonly [number | null, string | null]> {
  if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
  return [server.exitCode, server.signalCode]
}

const keyed = { authorization: 'Bearer secret' }

function ask(path: string, headers: Readonly<Record<string, string>> = keyed, body?: object): Promise<Response> {
  const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) }
  return fetch(`http://127.0.0.1:${port}${path}`, init)
}

/** Once it listens; it may be loading. */
async function listening(): Promise<void> {
  await expect
    .poll(
      () =>
        ask('/none').then(
          () => true,
          () => false,
        ),
      { interval: 20 },
    )
    .toBe(true)
}

describe('a Kind B without a model', () => {
  it('takes connections and says nothing while it loads, then answers what waited', async () => {
    const loaded = join(await mkdtemp(join(tmpdir(), 'kind-b-loaded-')), 'loaded')
    await start([], { loadUntil: loaded })
    await expect.poll(connects, { interval: 20 }).toBe(true)
    const parked = ask('/health')
    expect(await Promise.race([parked, sleep(200, 'silent')])).toBe('silent')
    await writeFile(loaded, '')
    expect((await parked).status).toBe(200)
    expect(said).toContain(`API listening on http://127.0.0.1:${port}/v1\n`)
  })

  it('shows its health to all clients, the long form and everything else only with the key', async () => {
    await start()
    await listening()
    expect(await (await ask('/health', {})).json()).toEqual({ status: 'ok' })
    expect(await (await ask('/health')).json()).toMatchObject({ scheduler: { active: 0, completed: 0 }, kv_slots: 1 })
    expect((await ask('/v1/models', { authorization: 'Bearer wrong' })).status).toBe(401)
    expect(await (await ask('/v1/models')).json()).toMatchObject({ data: [{ id: 'flagship', owned_by: 'colibri' }] })
    expect((await ask('/v1/chat/completions', keyed, { ...chat, model: 'other' })).status).toBe(404)
    expect(await (await ask('/v1/chat/completions', keyed, chat)).json()).toMatchObject({ usage: { completion_tokens: 1 } })
    expect(await (await ask('/health')).json()).toMatchObject({ scheduler: { completed: 1 } })
  })

  it('dies of SIGTERM while it loads, and exits with 0 afterwards, without finishing requests', async () => {
    await start([], { loadMs: 5000 })
    await expect.poll(connects, { interval: 20 }).toBe(true)
    server.kill('SIGTERM')
    expect(await ended()).toEqual([null, 'SIGTERM'])
    await rm(folder, { recursive: true, force: true })
    await start([], { firstMs: 10_000 })
    await listening()
    const cut = ask('/v1/chat/completions', keyed, chat)
    await expect.poll(async () => (await ask('/health')).json()).toMatchObject({ scheduler: { active: 1 } })
    server.kill('SIGTERM')
    expect((await cut).status).toBe(500)
    expect(await ended()).toEqual([0, null])
  })

  it('ends with 1 when its engine does while it loads', async () => {
    await start([], { loadExit: 0 })
    expect(await ended()).toEqual([1, null])
    expect(said).toMatch(/RuntimeError: colibri engine exited unexpectedly\n$/)
  })

  it('lives on when its engine has died: healthy, and every chat fails', async () => {
    await start()
    await listening()
    const engine = processesOf([server.pid ?? 0]).find(({ ppid }) => ppid === server.pid)
    expect(engine?.words).toEqual([join(folder, 'colibri'), '0'])
    process.kill(engine?.pid ?? 0, 'SIGKILL')
    await expect.poll(async () => (await ask('/v1/chat/completions', keyed, chat)).status).toBe(500)
    expect((await ask('/health')).status).toBe(200)
  })

  it.each([
    [['--no-browser'], {}, 2, 'unrecognized arguments: --no-browser'],
    [['--ctx', 'x'], {}, 2, 'invalid int value'],
    [['--host', '127.0.0.2'], { SRV_API_KEY: '' }, 1, 'refusing to bind 127.0.0.2 beyond localhost'],
    [[], { SRV_MODEL: '/none' }, 1, 'model not found: /none'],
  ])('does not start with %j and %j', async (flags, env, status, words) => {
    await start(flags, {}, env)
    expect(await ended()).toEqual([status, null])
    expect(said).toContain(words)
  })
})

/** Something accepts the connection, whether or not it answers. */
async function connects(): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).then((connected) => {
    socket.destroy()
    return connected === true
  })
}
