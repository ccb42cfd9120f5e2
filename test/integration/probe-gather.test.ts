import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { HttpTarget } from '../../src/facts/question.ts'
import { type GatherInput, gatherFacts } from '../../src/gather/gather.ts'
import { known, unknown } from '../../src/model/observed.ts'
import { question } from '../facts/question-with.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'
import { absolute, runProbe } from './probe-run.ts'
import { type Scene, setScene } from './probe-scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await setScene()
})

afterAll(() => scene[Symbol.asyncDispose]())

const answer = known({
  health: { status: 200, ms: 1 },
  models: known(['coder']),
  props: known({}),
  busy: known(0),
  completed: known(1),
  keyAccepted: known(true),
})

function input(transport: ShTransport, more: Partial<GatherInput> = {}): GatherInput {
  return {
    host: { name: 'here' },
    question: question({ host: 'here', convergeDir: scene.root }),
    transport,
    http: async () => answer,
    now: () => new Date('2026-11-21T10:00:00Z'),
    timeoutMs: 60_000,
    ...more,
  }
}

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'none',
    (error: unknown) => (error instanceof ConvergeError ? error.code : error),
  )
}

describe('gathering', () => {
  it('takes one exec, stamps what it saw, and asks over HTTP where a port is open', async () => {
    await using transport = await shTransport()
    const asked: HttpTarget[] = []
    const http: HttpTarget[] = [
      { service: 'coder', port: scene.ports.a, kind: 'A' },
      { service: 'closed', port: 1, kind: 'B' },
    ]
    const facts = await gatherFacts(
      input(transport, {
        question: question({ host: 'here', convergeDir: scene.root, salt: 'feed', http }),
        http: async (target) => {
          asked.push(target)
          return answer
        },
      }),
    )
    expect(transport.seen).toHaveLength(1)
    expect(asked).toEqual([http[0]])
    expect(facts).toMatchObject({ host: 'here', gatheredAt: '2026-11-21T10:00:00.000Z', salt: 'feed' })
    expect(facts.http).toEqual({ coder: answer, closed: unknown('not-gathered', 'nothing listens on port 1') })
    expect(facts.layout).toMatchObject(known({ root: scene.root }))
  })

  it('sees a server whose name and path hold a line break', async () => {
    const folder = join(scene.folder, 'a\nb')
    await mkdir(folder)
    await symlink(process.execPath, join(folder, 'llama-server'))
    const rename =
      "require('node:fs').writeFileSync('/proc/self/comm', 'lla\\nma'); setInterval(() => {}, 1e6); console.log('up')"
    const server = spawn(join(folder, 'llama-server'), ['-e', rename])
    await once(server.stdout, 'data')
    await using transport = await shTransport()
    const { residents } = await gatherFacts(input(transport))
    server.kill('SIGKILL')
    expect(residents.known && residents.value.find(({ pid }) => pid === server.pid)).toMatchObject({
      command: 'lla ma',
      argv: [join(folder, 'llama-server'), '-e', expect.any(String)],
      role: 'A',
    })
  })

  it('skips a server that exits while it is read and is not reaped', async () => {
    const tools = join(scene.folder, 'ending')
    await mkdir(tools)
    await symlink(await absolute('sleep'), join(tools, 'llama-server'))
    // Its parent never reaps it.
    const parent = spawn('sh', ['-c', '"$0" 1000 & echo $!; exec sleep 1000', join(tools, 'llama-server')])
    const [line] = await once(parent.stdout, 'data')
    const pid = Number(String(line))
    const ending = `#!/bin/sh
if [ "$1" = /proc/${pid}/exe ]; then
  kill -KILL ${pid}
  until grep -q ') Z ' /proc/${pid}/stat; do :; done
fi
exec ${await absolute('readlink')} "$@"
`
    await writeFile(join(tools, 'readlink'), ending, { mode: 0o755 })
    const setting = { shell: ['sh'], path: `${tools}:/usr/sbin:/usr/bin:/sbin:/bin` }
    const { facts } = await runProbe(setting, question({ platform: 'linux' }), scene.folder)
    parent.kill('SIGKILL')
    expect(facts.residents).toMatchObject({ known: true })
    expect(facts.residents.known && facts.residents.value.map((one) => one.pid)).not.toContain(pid)
  })

  it('reports an error of a host without a usable shell', async () => {
    await using nothing = await shTransport(['/bin/false'])
    expect(await codeOf(gatherFacts(input(nothing)))).toBe('FACTS.GARBLED')
    await using echo = await shTransport(['sh', '-c', 'cat'])
    expect(await codeOf(gatherFacts(input(echo)))).toBe('FACTS.GARBLED')
  })

  it('is another when nothing came before the time was over', async () => {
    await using slow = await shTransport(['sh', '-c', 'sleep 30'])
    expect(await codeOf(gatherFacts(input(slow, { timeoutMs: 300 })))).toBe('FACTS.SILENT')
  })

  it('keeps what came when the rest is late', async () => {
    await using transport = await shTransport()
    const deaf = `${scene.folder}/bin/deaf`
    const late = question({ host: 'here', convergeDir: scene.root, executables: [deaf], programs: [{ path: deaf, kind: 'A' }] })
    const facts = await gatherFacts(input(transport, { question: late, timeoutMs: 9000 }))
    expect(facts.lock).toMatchObject(known({ owner: 'ann' }))
    expect(facts.executables[deaf]).toMatchObject({ known: false, because: 'timed-out' })
  })

  it('asks no server once it was interrupted', async () => {
    await using transport = await shTransport()
    const http: HttpTarget[] = [{ service: 'coder', port: scene.ports.a, kind: 'A' }]
    const interrupted = new AbortController()
    // After the host's answer, before its servers are asked.
    const look = async (...asked: Parameters<typeof transport.look>) => {
      const observed = await transport.look(...asked)
      interrupted.abort()
      return observed
    }
    const asked: HttpTarget[] = []
    const facts = await gatherFacts(
      input(
        { ...transport, look },
        {
          question: question({ host: 'here', http }),
          signal: interrupted.signal,
          http: async (target) => {
            asked.push(target)
            return answer
          },
        },
      ),
    )
    expect(asked).toEqual([])
    expect(facts.http).toEqual({ coder: unknown('not-gathered', 'the run was interrupted') })
  })

  it('passes on that the connection broke', async () => {
    await using transport = await shTransport()
    transport.cut()
    expect(await codeOf(gatherFacts(input(transport)))).toMatch(/^CONNECT\./)
  })
})
