import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeModelFolder } from '../kind-b/model-folder.ts'
import { type LinuxBox, startLinuxBox } from '../linux/box.ts'
import { type Mac, startMac } from '../mac/mac.ts'
import type { SshFiles } from '../ssh-files.ts'
import { startSshServer } from '../ssh-server.ts'
import { writeInventory } from './inventory.ts'
import { writeHollowModel } from './models.ts'
import { holdPorts } from './ports.ts'

/** Two Macs and a Linux box behind SSH on the loopback address, and an inventory of them. */
export interface DemoFleet extends AsyncDisposable {
  readonly folder: string
  readonly inventory: string
  /** `ssh -F` */
  readonly sshConfig: string
  readonly mini: Mac
  /** At once and without waiting: ends every server and deletes the folder. */
  abandon(): void
}

const gibibyte = 1024 ** 3
/** Seconds of a supervisor for one of a clock: nobody waits ten of them for a demonstration. */
const pace = 20

export async function startDemoFleet(): Promise<DemoFleet> {
  await using started = new AsyncDisposableStack()
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'converge-demo-')))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const mini = started.use(await aMac(join(folder, 'mini'), 32, 5))
  const studio = started.use(await aMac(join(folder, 'studio'), 512, 20))
  const box = started.use(await aLinuxBox(join(folder, 'box'), 128, 4))
  await writeHollowModel(join(mini.home, 'models/coder-14b.gguf'), { gigabytes: 9, layers: 40, headsKv: 8 })
  await writeHollowModel(join(mini.home, 'models/writer-8b.gguf'), { gigabytes: 4, layers: 32, headsKv: 4 })
  await writeHollowModel(join(studio.home, 'models/giant-256x9b.gguf'), {
    gigabytes: 380,
    layers: 61,
    headsKv: 8,
    experts: 256,
  })
  writeModelFolder(box.path('/srv/models/flagship'), 80e9)
  const doors = {
    mini: started.use(await startSshServer({ loginShell: mini.loginShell, user: mini.user })),
    studio: started.use(await startSshServer({ loginShell: studio.loginShell, user: studio.user })),
    box: started.use(await startSshServer({ loginShell: box.loginShell, user: box.user, output: () => box.output() })),
  }
  const sshConfig = join(folder, 'ssh_config')
  await writeFile(sshConfig, clientConfig(doors))
  const keyFile = join(folder, 'api.key')
  await writeFile(keyFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 })
  const inventory = join(folder, 'fleet')
  await mkdir(inventory)
  await writeInventory({ folder: inventory, sshConfig, keyFile, macs: { mini, studio }, ports: started.use(await holdPorts()) })
  const owned = started.move()
  const abandon = () => {
    endAtOnce([...mini.launchd.pids(), ...studio.launchd.pids(), ...box.systemd.pids()])
    rmSync(folder, { recursive: true, force: true })
  }
  return { folder, inventory, sshConfig, mini, abandon, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Each is the first of its process group. */
function endAtOnce(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended already.
    }
  }
}

async function aMac(folder: string, gigabytes: number, used: number): Promise<Mac> {
  await mkdir(folder)
  return startMac({ folder, pace, machine: { memoryBytes: gigabytes * gibibyte, usedBytes: used * gibibyte } })
}

async function aLinuxBox(folder: string, gigabytes: number, used: number): Promise<LinuxBox> {
  await mkdir(folder)
  return startLinuxBox({ folder, pace, machine: { memoryBytes: gigabytes * gibibyte, usedBytes: used * gibibyte } })
}

/** The person's own ssh config is not read: `ssh -F FILE mini` is enough. */
function clientConfig(doors: Readonly<Record<string, SshFiles & { readonly user: string }>>): string {
  const hosts = Object.entries(doors).map(
    ([name, { port, user, keyFile, knownHosts }]) => `Host ${name}
  HostName 127.0.0.1
  Port ${port}
  User ${user}
  IdentityFile ${keyFile}
  UserKnownHostsFile ${knownHosts}
`,
  )
  return `${hosts.join('\n')}\nHost *\n  GlobalKnownHostsFile none\n  IdentitiesOnly yes\n`
}
