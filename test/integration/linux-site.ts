import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { stringify } from 'yaml'
import { writeModelFolder } from '../../simulation/kind-b/model-folder.ts'
import { type LinuxBox, type LinuxBoxOptions, startLinuxBox } from '../../simulation/linux/box.ts'
import { convergeHere } from '../support/converge-here.ts'
import { program as ours } from '../support/program.ts'
import { startSshServer } from '../support/ssh-server.ts'
import { type Ended, endedWith } from './mac-site.ts'

const root = join(import.meta.dirname, '../..')

/** A simulated Linux box behind an SSH server, and a person with an inventory of it. */
export interface LinuxSite extends AsyncDisposable {
  readonly box: LinuxBox
  /** Where runs leave their journals. */
  readonly state: string
  /** Where the person's files lie. */
  readonly folder: string
  /** For `--ssh-config`. */
  readonly sshConfig: string
  /** What the inventory takes from the environment. */
  readonly env: Readonly<Record<string, string>>
  /** A Kind B as the specification has it. */
  flagship(more?: object): object
  /** @param settings of the fleet, beside what a small box needs @param more variables of the box */
  inventory(services: object, settings?: object, more?: object): Promise<void>
  converge(...args: readonly string[]): Promise<Ended>
  /** The same for who has something to do meanwhile. */
  begin(...args: readonly string[]): Running
  /** The same person at another machine: what runs left on this one is not there. */
  from(machine: string): Pick<LinuxSite, 'begin' | 'converge'>
  /** The same with a module that Node loads before. */
  beside(module: string): Pick<LinuxSite, 'begin' | 'converge'>
}

export interface Running {
  readonly pid: number | undefined
  kill(signal: NodeJS.Signals): void
  readonly ended: Promise<Ended>
}

/** The command line that a person has. */
interface CommandLine {
  /** Default: that of this project. */
  readonly program?: string
  /** The same without a process of its own; undefined: there is only the program. */
  readonly here?: typeof convergeHere | undefined
}

export async function openLinuxBox(
  port: number,
  { program = ours, here = program === ours ? convergeHere : undefined, ...options }: LinuxBoxOptions & CommandLine = {},
): Promise<LinuxSite> {
  const box = await startLinuxBox(options)
  const ssh = await startSshServer({ loginShell: box.loginShell, output: () => box.output() })
  const folder = await mkdtemp(join(tmpdir(), 'linux-site-'))
  writeModelFolder(box.path('/srv/models/flagship'), 30 * 1024 ** 3)
  const env = { FLAGSHIP_KEY: 'k3y/etc/of-the-box' }
  const at = (state: string, ofNode: readonly string[] = []): Pick<LinuxSite, 'begin' | 'converge'> => {
    const own = { ...env, CONVERGE_STATE_DIR: join(folder, state), PATH: process.env['PATH'] }
    const withFiles = (args: readonly string[]): readonly string[] => {
      // Verbs that reach no host.
      const sshConfig = ['notify', 'validate'].includes(args[0] ?? '') ? [] : ['--ssh-config', ssh.sshConfig]
      return [...args, '-i', join(folder, 'fleet.yaml'), ...sshConfig]
    }
    const begin = (...args: readonly string[]): Running => {
      const child = execa(process.execPath, [...ofNode, program, ...withFiles(args)], {
        cwd: root,
        env: own,
        extendEnv: false,
        reject: false,
        stdin: 'ignore',
      })
      const ended = child.then(({ exitCode: code, stdout, stderr }) => endedWith({ code, stdout, stderr }))
      return { ended, pid: child.pid, kill: (signal) => void child.kill(signal) }
    }
    // A module to load before needs a process of its own.
    const converge = async (...args: readonly string[]) =>
      ofNode.length > 0 || here === undefined
        ? begin(...args).ended
        : endedWith(await here(withFiles(args), { env: own, cwd: root }))
    return { begin, converge }
  }
  return {
    box,
    state: join(folder, 'state'),
    folder,
    sshConfig: ssh.sshConfig,
    env,
    flagship: (more = {}) => ({
      kind: 'B',
      port,
      model: { path: '/srv/models/flagship' },
      executable: '/opt/kindb/serve',
      host: '127.0.0.1',
      no_browser: false,
      ctx: 4096,
      ram_gb: 20,
      api_key: { env: 'FLAGSHIP_KEY' },
      ready_timeout: 30,
      completion_timeout: 30,
      stop_timeout: 10,
      ...more,
    }),
    inventory: async (services, settings = {}, more = {}) => {
      const host = {
        ansible_host: '127.0.0.1',
        ansible_port: ssh.port,
        ansible_user: ssh.user,
        ansible_ssh_private_key_file: ssh.keyFile,
        ansible_become: true,
        platform: 'linux',
        ...more,
        services,
      }
      const fleet = { org: 'example', headroom_gb: 1, ...settings }
      await writeFile(join(folder, 'fleet.yaml'), stringify({ all: { vars: { fleet }, hosts: { box: host } } }))
    },
    ...at('state'),
    from: (machine) => at(machine),
    beside: (module) => at('state', ['--import', module]),
    [Symbol.asyncDispose]: async () => {
      await ssh.stop()
      await box[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
