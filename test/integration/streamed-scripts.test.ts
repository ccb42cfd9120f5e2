import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTransport } from '../../src/transports/open-transport.ts'
import type { Transport } from '../../src/transports/transport.ts'
import { hostAt } from '../support/host-at.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'
import { hasSshd, type Sshd, startSshd } from '../support/sshd.ts'
import { script, transportOptions } from '../support/transport-options.ts'

const bytes = randomBytes(9_000_001)
const digest = createHash('sha256').update(bytes).digest('hex')

const lacksSshd = !hasSshd && process.env['CI'] === undefined

/** Bytes from one script to another, through every transport. */
describe.skipIf(lacksSshd).each(['ssh', 'openssh', 'local'] as const)('the %s transport', (kind) => {
  let sshd: Sshd
  let transport: Transport
  let place: ShTransport
  let file: string

  beforeAll(async () => {
    sshd = await startSshd()
    const host = kind === 'local' ? hostAt('testhost', { transport: kind }) : sshd.host({ transport: kind })
    transport = await openTransport(host, transportOptions({ sshConfig: sshd.sshConfig }))
    place = await shTransport()
    file = join(place.folder, 'bytes')
    await writeFile(file, bytes)
  })

  afterAll(async () => {
    await transport.close()
    await sshd.stop()
    await place[Symbol.asyncDispose]()
  })

  test('hands bytes from one script on to another as they are', async () => {
    const pipe = new PassThrough()
    const from = transport.exec(script('cat "$1"; echo seen >&2; exit 3', { args: [file] }), { output: pipe })
    const to = transport.exec(script('sha256sum'), { input: pipe })
    expect(await from).toMatchObject({ exitCode: 3, stdout: '', stderr: 'seen\n' })
    pipe.end('')
    expect(await to).toMatchObject({ exitCode: 0, stdout: `${digest}  -\n` })
  })

  test('stops reading while its output is not consumed', async () => {
    let taken = 0
    const slow = new Writable({
      highWaterMark: 1000,
      write: ({ length }: Buffer) => {
        taken += length
      },
    })
    const run = transport.exec(script('cat "$1"', { args: [file] }), { output: slow })
    await sleep(300)
    expect(taken).toBeLessThan(1_000_000)
    // Others on the same connection are not held up.
    expect(await transport.exec(script('echo alive'))).toMatchObject({ stdout: 'alive\n' })
    slow.destroy()
    expect(await run).toMatchObject({ exitCode: 0 })
  })

  test('ends the input of a script whose source broke off', async () => {
    const pipe = new PassThrough()
    const run = transport.exec(script('wc -c | tr -d " "'), { input: pipe })
    pipe.write(bytes.subarray(0, 100_000))
    // It is read once the script has begun, which takes long on a busy machine.
    await expect.poll(() => pipe.readableLength + pipe.writableLength).toBe(0)
    pipe.destroy()
    expect(await run).toMatchObject({ exitCode: 0, stdout: '100000\n' })
  })

  test('ends it at once where the source broke off before the script began', async () => {
    const pipe = new PassThrough()
    const run = transport.exec(script('wc -c | tr -d " "'), { input: pipe })
    pipe.destroy()
    expect(await run).toMatchObject({ exitCode: 0, stdout: '0\n' })
    expect(await transport.exec(script('wc -c | tr -d " "'), { input: pipe })).toMatchObject({ stdout: '0\n' })
  })

  test('a script that ignores its input still ends', async () => {
    const pipe = new PassThrough()
    const run = transport.exec(script('echo no; exit 4'), { input: pipe })
    pipe.write(bytes)
    expect(await run).toMatchObject({ exitCode: 4, stdout: 'no\n' })
    pipe.destroy()
  })

  test('an interrupt ends the input and says so with its reason', async () => {
    const pipe = new PassThrough()
    const interrupt = new AbortController()
    const run = transport.exec(script('cat >/dev/null; echo ended'), { input: pipe, signal: interrupt.signal })
    await sleep(200)
    interrupt.abort(new Error('enough'))
    await expect(run).rejects.toThrow('enough')
    pipe.destroy()
  })
})
