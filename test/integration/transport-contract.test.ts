import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import { Client } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../simulation/ssh-files.ts'
import { Secret } from '../../src/model/secret.ts'
import { openTransport } from '../../src/transports/open-transport.ts'
import type { Transport } from '../../src/transports/transport.ts'
import { anyCharacter } from '../support/any-character.ts'
import { hostAt } from '../support/host-at.ts'
import { hasSshd, type Sshd, startSshd } from '../support/sshd.ts'
import { script, transportOptions } from '../support/transport-options.ts'

const run = promisify(execFile)

/** Every transport keeps the same promises; a new one is a new row. */
const transports = ['ssh', 'openssh', 'local'] as const

describe.skipIf(!hasSshd).each(transports)('the %s transport', (kind) => {
  let sshd: Sshd
  let transport: Transport
  let web: Server
  let webPort: number

  beforeAll(async () => {
    sshd = await startSshd()
    const host = kind === 'local' ? hostAt('testhost', { transport: kind }) : sshd.host({ transport: kind })
    transport = await openTransport(host, transportOptions({ sshConfig: sshd.sshConfig }))
    web = createServer((question, answer) => answer.end(`${question.method} ${question.url}`)).listen(
      (webPort = await freePort()),
      '127.0.0.1',
    )
  })

  afterAll(async () => {
    await transport.close()
    await sshd.stop()
    web.close()
  })

  test('separates both streams and the exit code', async () => {
    const result = await transport.exec(script('echo out; echo err >&2; exit 7'))
    expect(result).toMatchObject({ exitCode: 7, stdout: 'out\n', stderr: 'err\n', timedOut: false })
    expect(result.signal).toBeUndefined()
  })

  test.each([0, 1, 126, 127, 130, 143, 255])('hands on exit code %i', async (code) => {
    expect(await transport.exec(script(`exit ${code}`))).toMatchObject({ exitCode: code, stdout: '', stderr: '' })
  })

  test('says when the shell itself was killed', async () => {
    const result = await transport.exec(script('echo before; kill -KILL $$; sleep 1'))
    expect(result).toMatchObject({ exitCode: undefined, stdout: 'before\n', timedOut: false })
    expect(result.signal).toMatch(/^(KILL|unknown)$/)
  })

  test('reports a syntax error like any other failure', async () => {
    const result = await transport.exec(script('if then'))
    expect(result.exitCode).toBeGreaterThan(0)
    expect(result.stderr).toMatch(/syntax error/i)
  })

  test('keeps output exactly: no newline lost, none added', async () => {
    expect(await transport.exec(script(`printf 'no newline'; printf '\\n\\n' >&2`))).toMatchObject({
      stdout: 'no newline',
      stderr: '\n\n',
    })
  })

  test('gives the script an empty stdin, so that nothing in it can eat its rest', async () => {
    expect(await transport.exec(script('cat; read x; echo end'))).toMatchObject({ stdout: 'end\n' })
  })

  test('takes a script of a megabyte', async () => {
    const line = `: '${'x'.repeat(1000)}'\n`
    expect(await transport.exec(script(`${line.repeat(1000)}echo done`))).toMatchObject({ exitCode: 0, stdout: 'done\n' })
  })

  test('brings back five megabytes on each stream', async () => {
    const result = await transport.exec(
      script('head -c 5000000 /dev/zero | tr "\\0" o; head -c 5000000 /dev/zero | tr "\\0" e >&2'),
    )
    expect([result.stdout.length, result.stderr.length]).toEqual([5_000_000, 5_000_000])
    expect([result.stdout.replaceAll('o', ''), result.stderr.replaceAll('e', '')]).toEqual(['', ''])
  })

  test('replaces bytes that are no UTF-8 and keeps the rest', async () => {
    const result = await transport.exec(script(`printf 'gr\\303\\274n \\377 \\342\\202'; printf '\\303\\274' >&2`))
    expect(result).toMatchObject({ stdout: 'grün \ufffd \ufffd', stderr: 'ü' })
  })

  test('hands on any arguments', async () => {
    const argument = fc.string({ unit: anyCharacter, maxLength: 40 }).map((text) => text.replaceAll('\0', ''))
    const nasty = fc.constantFrom(
      '',
      ' ',
      '-n',
      '--',
      '$HOME',
      '`id`',
      '$(id)',
      "'",
      '"',
      '\\',
      '!',
      '!!',
      '\n',
      '*',
      '~',
      'a\tb',
      '#',
      '%s',
      '&&',
      ';',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(argument, nasty), { maxLength: 8 }), async (args) => {
        const { stdout } = await transport.exec(script(`for a; do printf '%s\\0' "$a"; done`, { args }))
        expect(stdout.split('\0').slice(0, -1)).toEqual(args)
      }),
      { numRuns: 15 },
    )
  })

  test('refuses an argument that no program can be given', async () => {
    await expect(transport.exec(script('true', { args: ['a\0b'] }))).rejects.toThrow(/NUL/)
  })

  test('hides a secret of a script from all accounts of the host', async () => {
    const secret = new Secret(`very-secret-${process.pid}`, 'test')
    const text = ["key='", secret, `'; sleep 1; [ "$key" = "very-secret-$1" ] && echo right`]
    const running = transport.exec(script('', { text, args: [String(process.pid)] }))
    await sleep(500)
    const { stdout } = await run('sh', ['-c', 'ps -A -ww -o args; cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n"; true'], {
      maxBuffer: 1e8,
    })
    expect(stdout).not.toContain(secret.reveal())
    expect(await running).toMatchObject({ stdout: 'right\n' })
  })

  test('takes secrets of this run out of what a command prints', async () => {
    const host = kind === 'local' ? hostAt('testhost', { transport: kind }) : sshd.host({ transport: kind })
    const redacting = await openTransport(
      host,
      transportOptions({ sshConfig: sshd.sshConfig, redact: (text) => text.replaceAll('hunter2', '***') }),
    )
    expect(await redacting.exec(script('echo hunter2; echo hunter2 >&2'))).toMatchObject({ stdout: '***\n', stderr: '***\n' })
    await redacting.close()
  })

  test('ends everything that a script started when its time is up', async () => {
    const result = await transport.exec(script('sleep 3210 & echo $!; sleep 3211', { timeoutMs: 700 }))
    expect(result).toMatchObject({ timedOut: true, exitCode: undefined })
    expect(result.ms).toBeLessThan(5_000)
    await untilGone(Number(result.stdout))
  })

  test('ends a script that will not be asked to', async () => {
    const result = await transport.exec(script(`trap '' TERM; echo $$; while :; do sleep 1; done`, { timeoutMs: 500 }))
    expect(result).toMatchObject({ timedOut: true, exitCode: undefined })
    await untilGone(Number(result.stdout))
  })

  test('lets what is meant to stay outlive the script, and does not wait for it', async () => {
    const { stdout, ms } = await transport.exec(script('sleep 60 & echo $!'))
    expect(ms).toBeLessThan(30_000)
    process.kill(Number(stdout), 0)
    process.kill(Number(stdout))
  })

  test('ends everything when it is aborted, and says so with the reason', async () => {
    const abort = new AbortController()
    const pidFile = `/tmp/converge-abort-${process.pid}-${kind}`
    const running = transport.exec(script(`echo $$ >"$1.new"; mv "$1.new" "$1"; sleep 3212`, { args: [pidFile] }), {
      signal: abort.signal,
    })
    await untilTrue(() => existsSync(pidFile))
    const { stdout } = await run('sh', ['-c', `cat ${pidFile}; rm ${pidFile}`])
    abort.abort(new Error('no longer wanted'))
    await expect(running).rejects.toThrow('no longer wanted')
    await untilGone(Number(stdout))
  })

  test('ends a script as soon as its watch says no', async () => {
    const watch = { tag: 'tried', script: '[ "$1" = yes ] || return 1', args: ['no'] }
    const result = await transport.exec(script('sleep 3213', { watch }))
    expect(result).toMatchObject({ unwatched: true, timedOut: false, exitCode: undefined })
    expect(result.ms).toBeLessThan(15_000)
  })

  test('does not begin what is aborted already', async () => {
    const aborted = AbortSignal.abort(new Error('too late'))
    await expect(transport.exec(script('true'), { signal: aborted })).rejects.toThrow('too late')
  })

  test('runs several scripts at a time', async () => {
    const folder = `/tmp/converge-several-${process.pid}-${kind}`
    const text =
      'mkdir -p "$1"; touch "$1/$2"; until [ -e "$1/1" ] && [ -e "$1/2" ] && [ -e "$1/3" ]; do sleep 0.1; done; echo "$2"'
    const results = await Promise.all(['1', '2', '3'].map((n) => transport.exec(script(text, { args: [folder, n] }))))
    await run('rm', ['-r', folder])
    expect(results.map(({ stdout }) => stdout)).toEqual(['1\n', '2\n', '3\n'])
  })

  test('runs more scripts than a server has sessions', async () => {
    const results = await Promise.all(Array.from({ length: 25 }, (_, n) => transport.exec(script(`echo ${n}`))))
    expect(results.map(({ stdout }) => Number(stdout))).toEqual(Array.from({ length: 25 }, (_, n) => n))
  })

  test.skipIf(kind === 'local')('lost in the middle of a script that only looks, ends it on the host', async () => {
    const cut = await openTransport(sshd.host({ transport: kind }), transportOptions({ sshConfig: sshd.sshConfig }))
    const running = cut.exec(script('sleep 3214', { readOnly: true })).catch((error: unknown) => error)
    await untilTrue(() => isRunning('sleep 3214'))
    await sshd.dropConnections()
    await untilTrue(async () => !(await isRunning('sleep 3214')))
    expect(await running).toMatchObject({ code: 'CONNECT.LOST' })
    await cut.close()
    transport = await openTransport(sshd.host({ transport: kind }), transportOptions({ sshConfig: sshd.sshConfig }))
  })

  test('leaves no watcher of its own behind', async () => {
    await transport.exec(script('true', { timeoutMs: 7_654_000 }))
    await expect.poll(async () => (await run('ps', ['-A', '-o', 'args'], { maxBuffer: 1e8 })).stdout).not.toContain('sleep 7659')
  })

  test('carries HTTP to a port of the host, and several requests on one stream', async () => {
    let streams = 0
    const client = new Client(`http://127.0.0.1:${webPort}`, {
      connect: (_, callback) => {
        streams++
        void dial(transport, webPort, callback)
      },
    })
    for (const path of ['/one', '/two']) {
      const { body } = await client.request({ path, method: 'GET' })
      expect(await body.text()).toBe(`GET ${path}`)
    }
    expect(streams).toBe(1)
    await client.close()
  })

  test('says when nothing listens on a port', async () => {
    await expect(transport.forward(1)).rejects.toMatchObject({
      code: 'CONNECT.FORWARD_REFUSED',
      why: expect.stringContaining('127.0.0.1:1'),
    })
  })

  test('still works after all of this', async () => {
    expect(await transport.exec(script('echo alive'))).toMatchObject({ stdout: 'alive\n' })
  })
})

async function isRunning(command: string): Promise<boolean> {
  return (await run('ps', ['-A', '-o', 'args='], { maxBuffer: 1e8 })).stdout.split('\n').includes(command)
}

async function dial(transport: Transport, port: number, done: (error: null, socket: Socket) => void): Promise<void> {
  const stream = await transport.forward(port)
  if (!hasSocketMethods(stream)) throw new Error('undici cannot use this stream')
  done(null, stream)
}

/** What undici calls on the socket it is given; it needs no more of one. */
function hasSocketMethods(stream: Duplex): stream is Socket {
  return ['setNoDelay', 'setKeepAlive', 'setTimeout', 'ref', 'unref'].every(
    (name) => typeof Reflect.get(stream, name) === 'function',
  )
}

async function untilGone(pid: number): Promise<void> {
  expect(pid).toBeGreaterThan(1)
  await untilTrue(async () => {
    const { stdout } = await run('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
    return stdout.trim() === '' || stdout.startsWith('Z')
  })
}

async function untilTrue(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await holds()) return
    await sleep(50)
  }
  throw new Error('it did not become true within 30 s')
}
