import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'plist'
import { expect, it } from 'vitest'
import { launchctl } from '../../simulation/mac/launchctl.ts'
import { startMac } from '../../simulation/mac/mac.ts'
import { tools } from '../../simulation/mac/system-tools.ts'
import { readMacosMemory } from '../../src/facts/memory-macos.ts'
import { parseJob } from '../../src/facts/parse-launchctl.ts'

const gibibyte = 1024 ** 3
const label = 'com.example.coder'
const target = `gui/501/${label}`

it('wired memory of a server that ends is free again, and of one that is killed is lost', async () => {
  await using mac = await startMac({ pace: 40, machine: { wiredPerServer: 10 * gibibyte } })
  const ask = (...words: readonly string[]) => launchctl(mac.launchd, words)
  const job = async () => parseJob((await ask('print', target)).out ?? '')
  const gone = async () => (await ask('print', target)).code
  const wired = () => {
    const view = {
      machine: mac.machine,
      consoleUser: 'op',
      roots: mac.launchd.pids(),
      asRoot: false,
      runsHere: () => true,
      ownerOf: () => 'op',
      accountOf: () => 'op',
    }
    const [size, pages] = [tools['sysctl']?.(view, ['hw.memsize']), tools['vm_stat']?.(view, [])]
    const memory = readMacosMemory(`${size?.out}${pages?.out}`)
    return memory.known ? Math.round((memory.value.wiredBytes ?? 0) / gibibyte) : memory
  }
  const path = join(mac.home, `Library/LaunchAgents/${label}.plist`)
  await writeFile(path, build({ Label: label, ProgramArguments: ['/bin/sleep', '60'], KeepAlive: { SuccessfulExit: false } }))

  await ask('bootstrap', 'gui/501', path)
  await expect.poll(async () => (await job()).state).toBe('running')
  expect(wired()).toBe(12)
  await ask('bootout', target)
  await expect.poll(gone).toBe(113)
  expect(wired()).toBe(2)

  await ask('bootstrap', 'gui/501', path)
  await expect.poll(async () => (await job()).state).toBe('running')
  process.kill((await job()).pid ?? 0, 'SIGKILL')
  await expect.poll(async () => (await job()).lastSignal).toBe(9)
  await ask('bootout', target)
  await expect.poll(gone).toBe(113)
  expect(wired()).toBe(12)
})
