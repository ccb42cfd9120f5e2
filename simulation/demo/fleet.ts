import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeModelFolder } from '../kind-b/model-folder.ts'
import { type LinuxBox, startLinuxBox } from '../linux/box.ts'
import { type Mac, startMac } from '../mac/mac.ts'
import type { SshFiles } from '../ssh-files.ts'
import { type SshServer, startSshServer } from '../ssh-server.ts'
import { atExit } from './at-exit.ts'
import { type CommandLine, listenForChanges } from './by-hand.ts'
import { type HostName, writeInventory } from './inventory.ts'
import { writeHollowModel } from './models.ts'
import { NoDemo } from './no-demo.ts'
import { holdPorts } from './ports.ts'

/** Two Macs and a Linux box behind SSH on the loopback address, and an inventory of them. */
export interface DemoFleet extends AsyncDisposable {
  readonly folder: string
  readonly inventory: string
  /** `$CONVERGE_STATE_DIR`: what runs leave on this machine goes away with the fleet. */
  readonly state: string
  /** `ssh -F` */
  readonly sshConfig: string
  readonly commandLine: CommandLine
  /** Its hosts have shells that see only the host, so a person who logs in may type anything. */
  readonly hasShells: boolean
}

const gibibyte = 1024 ** 3
/** Seconds of a supervisor per real second: ten real seconds are too long for a demo. */
const pace = 20

export async function startDemoFleet(): Promise<DemoFleet> {
  await using started = new AsyncDisposableStack()
  const folder = await makeFolder()
  const running: (() => readonly number[])[] = []
  started.use(
    atExit(() => {
      endAtOnce(running.flatMap((pids) => pids()))
      rmSync(folder, { recursive: true, force: true })
    }),
  )
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const mini = started.use(await aMac(folder, 'mini', 32, 5))
  const studio = started.use(await aMac(folder, 'studio', 512, 20))
  const box = started.use(await aLinuxBox(join(folder, 'box'), 128, 4))
  running.push(
    () => mini.launchd.pids(),
    () => studio.launchd.pids(),
    () => box.systemd.pids(),
  )
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
    mini: started.use(await aDoor(folder, 'mini', mini)),
    studio: started.use(await aDoor(folder, 'studio', studio)),
    box: started.use(await aDoor(folder, 'box', box)),
  }
  const commandLines: Readonly<Record<HostName, (command: string) => readonly string[]>> = {
    mini: (command) => [...mini.loginShell, command],
    studio: (command) => [...studio.loginShell, command],
    box: box.commandLine,
  }
  const commandLine: CommandLine = (host, command) => commandLines[host](command)
  started.use(await listenForChanges(folder, commandLine))
  const sshConfig = join(folder, 'ssh_config')
  await writeFile(sshConfig, clientConfig(doors))
  const keyFile = join(folder, 'api.key')
  await writeFile(keyFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 })
  const inventory = join(folder, 'fleet')
  await mkdir(inventory)
  await writeInventory({ folder: inventory, sshConfig, keyFile, macs: { mini, studio }, ports: started.use(await holdPorts()) })
  const owned = started.move()
  const hasShells = [mini, studio, box].every(({ sandbox }) => sandbox !== undefined)
  return {
    folder,
    inventory,
    state: join(folder, 'state'),
    sshConfig,
    commandLine,
    hasShells,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
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

async function aMac(place: string, name: string, gigabytes: number, used: number): Promise<Mac> {
  const folder = join(place, name)
  await mkdir(folder)
  const machine = { hostname: `${name}.lan`, memoryBytes: gigabytes * gibibyte, usedBytes: used * gibibyte }
  return startMac({ folder, pace, machine, sandboxed: true })
}

async function aLinuxBox(folder: string, gigabytes: number, used: number): Promise<LinuxBox> {
  await mkdir(folder)
  return startLinuxBox({
    folder,
    pace,
    sandboxed: true,
    machine: { memoryBytes: gigabytes * gibibyte, usedBytes: used * gibibyte },
  })
}

async function aDoor(
  folder: string,
  name: string,
  host: Pick<Mac, 'loginShell' | 'user' | 'output' | 'environment' | 'sandbox'>,
): Promise<SshServer> {
  const directory = join(folder, `ssh-${name}`)
  await mkdir(directory)
  return startSshServer({
    loginShell: host.loginShell,
    user: host.user,
    cwd: host.environment['HOME'] ?? folder,
    directory,
    output: () => host.output(),
    ...(host.sandbox === undefined ? { refuses: toType } : {}),
  })
}

/** A shell here would be one of this machine: converge's own scripts are led over the border, what a person types is not. */
function toType(command: string): string | undefined {
  if (/^exec \/bin\/sh -c [^]*\(head -c "\$n"\)/.test(command)) return undefined
  return 'This machine does not allow user namespaces, so this simulated host has no shell of its own.\nTo change something on it:  converge demo --change NAME'
}

async function makeFolder(): Promise<string> {
  const place = plainPlace()
  const folder = await mkdtemp(join(place, 'converge-demo-'))
    .then((path) => realpath(path))
    .catch((error: unknown) => {
      throw new NoDemo(`no folder can be made in ${place} (${error instanceof Error ? error.message : String(error)})`)
    })
  if (await runsPrograms(folder)) return folder
  await rm(folder, { recursive: true })
  throw new NoDemo(`no program can be run in ${place}, which is mounted noexec; set TMPDIR to a folder that allows it`)
}

/** The tools of the hosts are programs in the folder. */
async function runsPrograms(folder: string): Promise<boolean> {
  const file = join(folder, 'try')
  await writeFile(file, '#!/bin/sh\n', { mode: 0o755 })
  const { status } = spawnSync(file, { stdio: 'ignore' })
  await rm(file)
  return status === 0
}

/** The path of a socket is limited to about a hundred letters, and `ssh -G` prints file names with blanks unquoted. */
function plainPlace(): string {
  return /^[\w./-]{1,60}$/.test(tmpdir()) ? tmpdir() : '/tmp'
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
  return `${hosts.join('\n')}\nHost *\n  GlobalKnownHostsFile none\n  IdentitiesOnly yes\n  RequestTTY no\n`
}
