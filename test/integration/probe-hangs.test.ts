import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gatherFacts } from '../../src/gather/gather.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import { openTransport } from '../../src/transports/open-transport.ts'
import { question } from '../facts/question-with.ts'
import { hasSshd, type Sshd, startSshd } from '../support/sshd.ts'
import { transportOptions } from '../support/transport-options.ts'

const hanging = [
  ['exits on SIGTERM', 'exec sleep 100'],
  ['ignores SIGTERM', `trap '' TERM; sleep 100`],
  ['has a child that keeps running', 'setsid sleep 20 & exec sleep 100'],
] as const

/** A tool that never answers: what was found before it is not lost with it. */
describe
  .skipIf(!hasSshd && process.env['CI'] === undefined)
  .concurrent.each([
    ...['ss', 'docker'].flatMap((tool) => hanging.map((how) => [tool, ...how] as const)),
    ['grep', ...hanging[0]] as const,
  ])('%s that hangs and %s', (tool, _, script) => {
  let folder: string
  let sshd: Sshd

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'converge-hangs-'))
    await writeFile(join(folder, tool), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    sshd = await startSshd({ config: [`SetEnv PATH=${folder}:/usr/bin:/bin:/usr/sbin:/sbin`] })
  })

  afterAll(async () => {
    await sshd.stop()
    await rm(folder, { recursive: true })
  })

  it('leaves the facts that were gathered before it', async () => {
    const started = Date.now()
    const facts = await look(12_000)
    expect(Date.now() - started).toBeLessThan(60_000)
    expect(facts.platform).toMatchObject({ known: true })
    expect(facts.memory).toMatchObject({ known: true })
    // Part of what is sent in one piece.
    expect(facts.residents).toMatchObject({ known: tool !== 'grep' })
    expect(facts.definitions).toMatchObject({ '/etc/none': { known: tool !== 'grep' } })
    expect(facts.listeners).toMatchObject({ known: tool === 'docker' })
    expect(facts.containers).toMatchObject({ known: false })
  })

  async function look(timeoutMs: number): Promise<HostFacts> {
    const transport = await openTransport(sshd.host(), transportOptions({ sshConfig: sshd.sshConfig }))
    try {
      return await gatherFacts({
        host: { name: 'here' },
        question: question({ host: 'here', definitions: ['/etc/none'] }),
        transport,
        http: () => Promise.reject(new Error('no server is asked')),
        now: () => new Date(),
        timeoutMs,
      })
    } finally {
      await transport.close()
    }
  }
})
