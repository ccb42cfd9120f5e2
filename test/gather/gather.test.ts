import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { questionFor } from '../../src/facts/question.ts'
import { gatherFacts, type HttpProbe } from '../../src/gather/gather.ts'
import { loadInventory } from '../../src/load/load.ts'
import { managers } from '../../src/managers/index.ts'
import { unknown } from '../../src/model/observed.ts'
import type { HostView } from '../../src/transports/transport.ts'

const mebibyte = 1024 ** 2
const answer = readFileSync('test/fixtures/probe/nas.txt', 'utf8')

/** Answers as the NAS does, behind so much that a start-up file prints. */
const view: HostView = {
  host: 'nas',
  look: async (script) => {
    const nonce = /^nonce=(\S+)/m.exec(script.unwrap().text.join(''))?.[1] ?? ''
    const stdout = 'x'.repeat(4 * mebibyte).concat(answer.replaceAll('\n@@ ', `\n${nonce} `))
    // As it comes out of a buffer: in one piece.
    return { exitCode: 0, stdout: Buffer.from(stdout).toString(), stderr: '', timedOut: false, ms: 1 }
  },
  forward: () => Promise.reject(new Error('it is not called')),
}

function memory(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  // A large text that comes out of a buffer lies beside the heap.
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / mebibyte
}

/** @param http of every service */
async function gatherer(http: HttpProbe) {
  const { fleet } = await loadInventory('test/fixtures/probe/fleet.yaml')
  const host = fleet.hosts.find(({ name }) => name === 'nas')
  if (host === undefined) throw new Error('no nas')
  const question = questionFor(host, fleet, managers, '5a17')
  return () => gatherFacts({ host, question, transport: view, http, now: () => new Date(0), timeoutMs: 1000 })
}

it('limits also the words of a server that gave no answer', async () => {
  const gather = await gatherer(async () => unknown('unreadable', 'x'.repeat(100_000)))
  const asked = Object.values((await gather()).http)
  expect(asked.length).toBeGreaterThan(0)
  for (const fact of asked) expect(JSON.stringify(fact).length).toBeLessThan(5000)
})

it('facts that are kept keep nothing else of what the host printed', async () => {
  const gather = await gatherer(async () => unknown('not-gathered'))
  const first = await gather()
  expect(first.residents.known).toBe(true)
  const before = memory()
  const kept = []
  for (let index = 0; index < 20; index++) kept.push(await gather())
  // Kept whole, the answers alone would be 80.
  expect(memory() - before).toBeLessThan(40)
  expect(kept[19]).toEqual(first)
})
