import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { Heard, LoudHosts } from '../support/loud-hosts.ts'
import { hasSshd, startSshd } from '../support/sshd.ts'

const run = promisify(execFile)
const mebibyte = 1024 ** 2

/** Of the same host many times, over connections of their own. */
async function hear(transport: 'ssh' | 'local', count: number, each: number): Promise<Heard> {
  await using sshd = await startSshd({ config: ['MaxStartups 200'] })
  const input: LoudHosts = { host: sshd.host({ transport }), sshConfig: sshd.sshConfig, count, bytes: each }
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, '../support/loud-hosts.ts'), JSON.stringify(input)])
  const heard: Heard = JSON.parse(stdout)
  return heard
}

test.skipIf(!hasSshd).each(['ssh', 'local'] as const)(
  '32 hosts that print 8 MiB at once take no more than 280 MiB (%s)',
  async (transport) => {
    const { lengths, grown } = await hear(transport, 32, 4 * mebibyte)
    expect(new Set(lengths)).toEqual(new Set([8 * mebibyte]))
    process.stdout.write(`32 hosts, ${transport}: the controller grew by ${Math.round(grown / mebibyte)} MiB\n`)
    expect(grown / mebibyte).toBeLessThan(280)
  },
)
