import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ConvergeError } from '../../src/errors/converge-error.ts'
import { openTransport } from '../../src/transports/open-transport.ts'
import type { Transport } from '../../src/transports/transport.ts'
import { aServer, ask, failure } from '../support/ask-sshd.ts'
import { hasSshd, type Sshd } from '../support/sshd.ts'
import { script, transportOptions } from '../support/transport-options.ts'

/** What real OpenSSH servers and the accounts on them are like. */
describe.skipIf(!hasSshd)('a real server', () => {
  test('that allows only algorithms the built-in client has not is left to your own ssh', async () => {
    const sshd = await aServer({ config: ['KexAlgorithms sntrup761x25519-sha512@openssh.com'] })
    const { stdout, notices } = await ask(sshd.host(), sshd)
    expect(stdout).toBe('here\n')
    expect(notices.join()).toMatch(/your own ssh.*no algorithm in common.*key exchange/)
  })

  test('with few sessions still runs all scripts', async () => {
    const sshd = await aServer({ config: ['MaxSessions 2'] })
    const transport = await openTransport(sshd.host(), transportOptions(sshd))
    const results = await Promise.all(Array.from({ length: 12 }, (_, n) => transport.exec(script(`echo ${n}`))))
    expect(results.map(({ stdout }) => Number(stdout))).toEqual(Array.from({ length: 12 }, (_, n) => n))
    for (const n of [1, 2, 3, 4, 5]) expect(await transport.exec(script(`echo ${n}`))).toMatchObject({ stdout: `${n}\n` })
    await transport.close()
  })

  test.each(['ssh', 'openssh'] as const)('that disappears in the middle is reported (%s)', async (kind) => {
    const sshd = await aServer()
    const transport = await openTransport(sshd.host({ transport: kind }), transportOptions(sshd))
    const { running: lost } = await begin(transport, sshd, 'sleep 5')
    await sshd.dropConnections()
    expect(await lost).toMatchObject({ code: 'CONNECT.LOST', why: expect.stringContaining('outcome is unknown') })
    expect(await failure(transport.exec(script('true')))).toMatchObject({ code: 'CONNECT.LOST' })
    await transport.close()
  })

  test('that falls silent is given up after a few unanswered questions', async () => {
    const sshd = await aServer({ clientConfig: ['ServerAliveInterval 1', 'ServerAliveCountMax 2'] })
    const transport = await openTransport(sshd.host(), transportOptions(sshd))
    const { running: lost } = await begin(transport, sshd, 'sleep 30', 60_000)
    await sshd.freezeConnections()
    expect(await lost).toMatchObject({ code: 'CONNECT.LOST', why: expect.stringContaining('Keepalive timeout') })
    await transport.close()
  })

  test('that falls silent after its time is given up too', async () => {
    const sshd = await aServer()
    const transport = await openTransport(sshd.host(), transportOptions(sshd))
    const { running: lost } = await begin(transport, sshd, 'sleep 30', 8_000)
    await sshd.freezeConnections()
    expect(await lost).toMatchObject({ code: 'CONNECT.LOST', why: expect.stringContaining('does not answer') })
    await transport.close()
  })

  test('continues a script whose connection is gone, until its timeout', async () => {
    const sshd = await aServer()
    const transport = await openTransport(sshd.host(), transportOptions(sshd))
    const done = join(sshd.directory, 'done')
    const { running: lost, pid } = await begin(transport, sshd, `sleep 1; echo done >${done}; sleep 80`, 8_000)
    await sshd.dropConnections()
    expect((await lost).code).toBe('CONNECT.LOST')
    await expect.poll(() => existsSync(done)).toBe(true)
    // Eight seconds and the margin of the host's own timer.
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 50_000, interval: 200 }).toBe(false)
  })

  const installed = ['/bin/bash', '/bin/dash', '/bin/zsh', '/usr/bin/fish', '/bin/tcsh', '/bin/csh', '/bin/ksh'].filter((path) =>
    existsSync(path),
  )
  test.each(installed)('may have %s as login shell', async (shell) => {
    const sshd = await aServer({ config: [`ForceCommand ${shell} -c "$SSH_ORIGINAL_COMMAND"`] })
    expect(await ask(sshd.host(), sshd, `echo "it's" $((6 * 7)) '!'`)).toMatchObject({ stdout: "it's 42 !\n" })
  })

  test('whose /bin/sh is busybox or bash runs the same scripts', async () => {
    for (const shell of ['/bin/busybox sh', '/bin/bash --posix'].filter((line) => existsSync(line.split(' ')[0] ?? ''))) {
      const sshd = await aServer({
        config: [`ForceCommand ${shell} -c "$(printf %s "$SSH_ORIGINAL_COMMAND" | sed 's|/bin/sh|${shell}|g')"`],
      })
      const transport = await openTransport(sshd.host(), transportOptions(sshd))
      expect(await transport.exec(script('echo "$1"; exit 4', { args: ['a b'] }))).toMatchObject({ stdout: 'a b\n', exitCode: 4 })
      expect(await transport.exec(script('sleep 60', { timeoutMs: 300 }))).toMatchObject({ timedOut: true })
      await transport.close()
    }
  })
})

/** Starts a script that will fail, and comes back when it is running; with the pid of its shell. */
async function begin(
  transport: Transport,
  sshd: Sshd,
  text: string,
  timeoutMs = 20_000,
): Promise<{ running: Promise<ConvergeError>; pid: string }> {
  const mark = join(sshd.directory, 'begun')
  const running = failure(transport.exec(script(`echo $$ >"$1.tmp"; mv "$1.tmp" "$1"; ${text}`, { args: [mark], timeoutMs })))
  await expect.poll(() => existsSync(mark)).toBe(true)
  return { running, pid: (await readFile(mark, 'utf8')).trim() }
}
