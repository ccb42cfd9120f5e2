import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import { firstWords } from '../../src/facts/fact.ts'
import { Secret } from '../../src/model/secret.ts'
import { flowOf } from '../../src/transports/remote/flow.ts'
import { FrameReader } from '../../src/transports/remote/frame-reader.ts'
import { type RunContext, runFramed } from '../../src/transports/remote/run-framed.ts'

const endpoint = { host: 'nas', at: 'op@nas', sshCommand: 'ssh nas' }
const context: RunContext = { endpoint, label: 'gather facts', timeoutMs: 60_000, redact: (text) => text }
const piece = Buffer.alloc(32 * 1024)

/** Pieces until the reader stops, or up to this number. */
async function talk(begin: string, pieces: number, more: Partial<RunContext> = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  stdin.resume()
  const end = { abandoned: false }
  const closed = new Promise<never>(() => undefined)
  const process = { stdin, stdout, stderr, flow: flowOf(stdout, stderr), closed, abandon: () => void (end.abandoned = true) }
  const run = runFramed(process, { words: [], input: Buffer.from('script'), nonce: 'n0' }, { ...context, ...more })
  const ended = run.then(
    () => 'read',
    (error: unknown) => (error instanceof ConvergeError ? error.code : error),
  )
  stdout.write(begin)
  stderr.write(begin)
  for (let sent = 0; sent < pieces && !end.abandoned; sent++) {
    stdout.write(piece)
    stderr.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (!end.abandoned) for (const stream of [stdout, stderr]) stream.write('n0e0;')
  return { ended: await ended, abandoned: end.abandoned }
}

it('of a script eight MiB are read, and no more', async () => {
  expect(await talk('n0b;', 200)).toEqual({ ended: 'read', abandoned: false })
  expect(await talk('n0b;', 10_000)).toEqual({ ended: 'CONNECT.OUTPUT_TOO_LARGE', abandoned: true })
})

function mebibytes(): number {
  return process.memoryUsage().rss / 2 ** 20
}

it('output that comes byte by byte takes no more memory than in one piece', () => {
  const reader = new FrameReader('n0')
  reader.feed(Buffer.from('n0b;'))
  const before = mebibytes()
  // Each a buffer of its own, as those of a socket are.
  for (let sent = 0; sent < 2 ** 21; sent++) reader.feed(Buffer.alloc(1, 'x'))
  expect(mebibytes() - before).toBeLessThan(150)
  reader.feed(Buffer.from('n0e7;'))
  const { output, end } = reader.frame()
  expect([output.length, output.every((byte) => byte === 120), end]).toEqual([2 ** 21, true, { exitCode: 7, why: '' }])
})

it('noise before sudo has asked is not looked through again and again', async () => {
  const sudo = { becomeUser: 'root', password: { secret: new Secret('pass', 'a test'), prompt: 'sudo-1:' } }
  const started = performance.now()
  expect(await talk('', 10_000, sudo)).toEqual({ ended: 'CONNECT.OUTPUT_TOO_LARGE', abandoned: true })
  expect(performance.now() - started).toBeLessThan(2000)
})

it('words for people are looked for at the beginning', () => {
  const before = process.memoryUsage().rss
  expect(firstWords('\0'.repeat(60_000_000))).toBeUndefined()
  expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(200)
})
