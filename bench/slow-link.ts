import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { parse } from 'yaml'
import { openMac } from '../test/integration/mac-site.ts'
import { slowNetworkTo } from '../test/support/slow-network.ts'
import { startSshd } from '../test/support/sshd.ts'
import { inventoryText, probeText } from './fleet.ts'
import { median } from './measure.ts'

/**
 * How often `converge plan` and `converge apply` wait for one host over a slow link: wall time at several delays, as round trips. The delay is
 * added between client and server by a proxy in this process, which loses nothing. See README.md.
 */
const roundTripsMs = [0, 50, 200]
const repeats = 3
const scratch = await mkdtemp(join(tmpdir(), 'converge-slow-link-'))

/** Median of seconds at each delay, and the slope as round trips. */
async function measure(name: string, run: (oneWayMs: number) => Promise<number>): Promise<void> {
  const walls: number[] = []
  for (const rtt of roundTripsMs) {
    const runs: number[] = []
    for (let count = 0; count < repeats; count += 1) runs.push(await run(rtt / 2))
    walls.push(median(runs))
  }
  const [first = 0, last = 0] = [walls[0], walls.at(-1)]
  const trips = ((last - first) * 1000) / (roundTripsMs.at(-1) ?? 1)
  const shown = walls.map((wall, index) => `${roundTripsMs[index]} ms: ${wall.toFixed(2)} s`).join('  ')
  console.log(`${name.padEnd(28)} ${shown}  = ${trips.toFixed(1)} round trips`)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

const sshd = await startSshd({ config: ['UsePAM no'] })
const alias = (port: number): string => `-o HostKeyAlias=[127.0.0.1]:${port}`
const inventory = join(scratch, 'inventory.yaml')
const reachedOver = (port: number) => writeFile(inventory, inventoryText({ ...sshd, port, addresses: ['127.0.0.1'] }, ['coder']))
await appendFile(sshd.sshConfig, `  HostKeyAlias [127.0.0.1]:${sshd.port}\n`)
await reachedOver(sshd.port)
await writeFile(join(scratch, 'probe.sh'), await probeText(inventory))

try {
  await measure('bare ssh2 with the probe', async (oneWayMs) => {
    await using network = await slowNetworkTo(sshd.port, oneWayMs)
    const words = ['bench/bare-connect.ts', String(network.port), sshd.keyFile, join(scratch, 'probe.sh'), '127.0.0.1']
    return await timed(() => execa(process.execPath, words))
  })
  await measure('plan', async (oneWayMs) => {
    await using network = await slowNetworkTo(sshd.port, oneWayMs)
    await reachedOver(network.port)
    const words = ['dist/main.js', 'plan', '-i', inventory, '--ssh-config', sshd.sshConfig]
    return await timed(() => execa(process.execPath, words, { reject: false }))
  })
  for (const change of ['install and start', 'nothing to do', 'restart for ctx_size'] as const) {
    await measure(`apply, ${change}`, async (oneWayMs) => {
      await using site = await openMac(12_900)
      await site.inventory({ coder: site.coder() })
      const { all } = parse(await readFile(join(site.folder, 'fleet.yaml'), 'utf8'))
      const port: number = all.hosts.studio.ansible_port
      await using network = await slowNetworkTo(port, oneWayMs)
      const login = { ansible_port: network.port, ansible_ssh_common_args: alias(port) }
      await site.inventory({ coder: site.coder() }, login)
      if (change !== 'install and start') await site.converge('apply', '-y')
      if (change === 'restart for ctx_size') await site.inventory({ coder: site.coder({ ctx_size: 2048 }) }, login)
      return await timed(async () => {
        const { code, output } = await site.converge('apply', '-y')
        if (code !== 0) throw new Error(output)
      })
    })
  }
} finally {
  await sshd.stop()
  await rm(scratch, { recursive: true, force: true })
}
