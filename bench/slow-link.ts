import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { parse } from 'yaml'
import { openMac } from '../test/integration/mac-site.ts'
import { startSshd } from '../test/support/sshd.ts'
import { inventoryText, probeText } from './fleet.ts'
import { type LossyLink, lossyLinkTo } from './lossy-link.ts'
import { median } from './measure.ts'

/** How long `converge plan` and `converge apply` of one host take over networks that delay and lose packets, and how often they wait for it. */
const networks = [
  { roundTripMs: 0, loss: 0 },
  { roundTripMs: 50, loss: 0 },
  { roundTripMs: 200, loss: 0 },
  { roundTripMs: 50, loss: 0.01 },
  { roundTripMs: 200, loss: 0.01 },
]
const repeats = Number(process.argv[2] ?? 3)
const scratch = await mkdtemp(join(tmpdir(), 'converge-slow-link-'))
const named = ({ roundTripMs, loss }: (typeof networks)[number]) => `${roundTripMs} ms${loss > 0 ? `, ${loss * 100} % lost` : ''}`

/** Prints a row: the median of seconds over each network, and round trips as the slope of those that lose nothing. */
async function measure(name: string, port: number, run: (link: LossyLink) => Promise<number>): Promise<void> {
  const walls: number[] = []
  for (const network of networks) {
    const runs: number[] = []
    for (let count = 0; count < repeats; count += 1) {
      await using link = await lossyLinkTo(port, network)
      runs.push(await run(link))
    }
    walls.push(median(runs))
  }
  const [first = 0, , last = 0] = walls
  const cells = [name, ...walls.map((wall) => `${wall.toFixed(2)} s`), ((last - first) / 0.2).toFixed(0)]
  console.log(`| ${cells.join(' | ')} |`)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

const sshd = await startSshd({ config: ['UsePAM no'] })
const inventory = join(scratch, 'inventory.yaml')
const reachedOver = ({ address, port }: Pick<LossyLink, 'address' | 'port'>) =>
  writeFile(inventory, inventoryText({ ...sshd, port, addresses: [address] }, ['coder']))
await appendFile(sshd.sshConfig, `  HostKeyAlias [127.0.0.1]:${sshd.port}\n`)
await reachedOver({ address: '127.0.0.1', port: sshd.port })
await writeFile(join(scratch, 'probe.sh'), await probeText(inventory))

console.log(`| | ${networks.map(named).join(' | ')} | round trips |\n|---|${'---:|'.repeat(networks.length + 1)}`)
try {
  await measure('bare ssh2 with the probe', sshd.port, async ({ address, port }) => {
    const words = ['bench/bare-connect.ts', String(port), sshd.keyFile, join(scratch, 'probe.sh'), address]
    return timed(() => execa(process.execPath, words))
  })
  await measure('plan', sshd.port, async (link) => {
    await reachedOver(link)
    const words = ['dist/main.js', 'plan', '-i', inventory, '--ssh-config', sshd.sshConfig]
    return timed(() => execa(process.execPath, words, { reject: false }))
  })
  for (const change of ['nothing to do', 'install and start', 'restart for ctx_size'] as const) {
    await using site = await openMac(12_900)
    await site.inventory({ coder: site.coder() })
    const { all } = parse(await readFile(join(site.folder, 'fleet.yaml'), 'utf8'))
    const port: number = all.hosts.studio.ansible_port
    const near = { ansible_port: port }
    let ctx = 2048
    const settle = async (services: object, login: object): Promise<void> => {
      await site.inventory(services, login)
      const { code, output } = await site.converge('apply', '-y')
      if (code !== 0) throw new Error(output)
    }
    await measure(`apply, ${change}`, port, async (link) => {
      const login = {
        ansible_host: link.address,
        ansible_port: link.port,
        ansible_ssh_common_args: `-o HostKeyAlias=[127.0.0.1]:${port}`,
      }
      const absent = { coder: { ...site.coder(), state: 'absent' } }
      await settle(change === 'install and start' ? absent : { coder: site.coder({ ctx_size: ctx }) }, near)
      if (change === 'restart for ctx_size') ctx += 1024
      return timed(() => settle({ coder: site.coder({ ctx_size: ctx }) }, login))
    })
  }
} finally {
  await sshd.stop()
  await rm(scratch, { recursive: true, force: true })
}
