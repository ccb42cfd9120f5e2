import { PassThrough } from 'node:stream'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { flowOf } from '../../src/transports/remote/flow.ts'
import { createOutputBudget, type OutputShare } from '../../src/transports/remote/output-budget.ts'
import { runFramed } from '../../src/transports/remote/run-framed.ts'

/** A connection, and whether it is read from. */
function connection() {
  const state = { reads: true }
  return { state, flow: { pause: () => void (state.reads = false), resume: () => void (state.reads = true) } }
}

describe('what the outputs of all hosts may take', () => {
  it('does not delay a host within its own share', () => {
    const budget = createOutputBudget({ own: 10, large: 1 })
    const hosts = Array.from({ length: 100 }, connection)
    for (const { flow } of hosts) budget.open(flow).take(10)
    expect(hosts.every(({ state }) => state.reads)).toBe(true)
  })

  it('lets a host wait until another large output has ended', async () => {
    const budget = createOutputBudget({ own: 10, large: 1 })
    const [first, second, third] = [connection(), connection(), connection()]
    const shares = [first, second, third].map(({ flow }) => budget.open(flow))
    for (const share of shares) share.take(11)
    const seen = () => [first, second, third].map(({ state }) => state.reads)
    expect(seen()).toEqual([true, false, false])
    expect(shares.map(({ isWaiting }) => isWaiting)).toEqual([false, true, true])
    shares[0]?.release()
    await setImmediate()
    expect(seen()).toEqual([true, true, false])
    // A host that gives up while it waits takes no turn.
    shares[2]?.release()
    expect(seen()).toEqual([true, true, true])
    shares[1]?.release()
    const fourth = connection()
    budget.open(fourth.flow).take(11)
    expect(fourth.state.reads).toBe(true)
  })

  it('holds a connection up that a waiting host opened later', () => {
    const budget = createOutputBudget({ own: 10, large: 1 })
    budget.open(connection().flow).take(11)
    const { state, flow } = connection()
    const [one, other] = [budget.open(flow), budget.open(flow)]
    one.take(11)
    state.reads = true
    other.take(1)
    expect(state.reads).toBe(false)
  })

  it('lets no run wait for another one of the same host', () => {
    const budget = createOutputBudget({ own: 10, large: 1 })
    const { state, flow } = connection()
    const [one, other] = [budget.open(flow), budget.open(flow)]
    one.take(8)
    other.take(8)
    one.take(8)
    expect(state.reads).toBe(true)
    other.release()
    one.release()
  })

  it('ends and stays within its bounds whatever the hosts send', async () => {
    const arbitraryHosts = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 40 })
    const property = fc.asyncProperty(arbitraryHosts, fc.integer({ min: 1, max: 4 }), async (sizes, large) => {
      const own = 5
      const budget = createOutputBudget({ own, large })
      const hosts = sizes.map((left) => ({ left, held: 0, share: undefined as OutputShare | undefined, ...connection() }))
      for (let rounds = 0; hosts.some(({ left }) => left > 0); rounds++) {
        expect(rounds).toBeLessThan(5000)
        for (const host of hosts) {
          if (host.left === 0 || !host.state.reads) continue
          host.share ??= budget.open(host.flow)
          host.share.take(1)
          host.held++
          if (--host.left > 0) continue
          host.share.release()
          host.held = 0
        }
        expect(hosts.filter(({ held }) => held > own + 1).length).toBeLessThanOrEqual(large)
        await setImmediate()
      }
    })
    await fc.assert(property, { numRuns: 100 })
  })
})

const endpoint = { host: 'nas', at: 'op@nas', sshCommand: 'ssh nas' }
const piece = Buffer.alloc(1024, 'x')

/** Sends as a pipe does: no more than is read. */
async function send(stream: PassThrough, bytes: number): Promise<void> {
  stream.write('n0b;')
  for (let sent = 0; sent < bytes; sent += piece.length)
    if (!stream.write(piece)) await new Promise((resolve) => stream.once('drain', resolve))
  stream.write('n0e0;')
}

describe.each([1, 100])('%i hosts at a time', (forks) => {
  it('are all heard, in turn', async () => {
    const budget = createOutputBudget({ own: 16 * 1024, large: 2 })
    const bytes = 64 * piece.length
    const heard = await Promise.all(
      Array.from({ length: forks }, async () => {
        const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
        const closed = new Promise<never>(() => undefined)
        const process = { stdin, stdout, stderr, flow: flowOf(stdout, stderr), closed, abandon: () => undefined }
        const context = { endpoint, label: 'gather facts', timeoutMs: 60_000, redact: (text: string) => text, budget }
        const run = runFramed(process, { words: [], input: Buffer.from('script'), nonce: 'n0' }, context)
        stderr.write('n0b;n0e0;')
        void send(stdout, bytes)
        const { exitCode, stdout: output } = await run
        return [exitCode, output.length]
      }),
    )
    expect(heard).toEqual(Array.from({ length: forks }, () => [0, bytes]))
  })
})

it('does not count the time that a host waits as its own', async () => {
  const budget = createOutputBudget({ own: 1024, large: 1 })
  const other = budget.open(connection().flow)
  other.take(2048)
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const words: string[] = []
  stdin.on('data', (chunk: Buffer) => words.push(chunk.toString()))
  const process = {
    stdin,
    stdout,
    stderr,
    flow: flowOf(stdout, stderr),
    closed: new Promise<never>(() => undefined),
    abandon: () => undefined,
  }
  const context = { endpoint, label: 'gather facts', timeoutMs: 50, redact: (text: string) => text, budget }
  const run = runFramed(process, { words: [], input: Buffer.from('script'), nonce: 'n0' }, context)
  stderr.write('n0b;n0e0;')
  void send(stdout, 16 * piece.length)
  await sleep(300)
  expect(words).toEqual(['script'])
  other.release()
  expect(await run).toMatchObject({ exitCode: 0, timedOut: false })
})
