import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { stringify } from 'yaml'
import { launchctl } from '../../simulation/mac/launchctl.ts'
import { type Mac, type MacOptions, startMac } from '../../simulation/mac/mac.ts'
import { startSshServer } from '../../simulation/ssh-server.ts'
import { type LaunchdJob, parseJob } from '../../src/facts/parse-launchctl.ts'
import { writeTinyModel } from '../lab/tiny-model.ts'
import { convergeHere, type Outcome } from '../support/converge-here.ts'
import { program } from '../support/program.ts'

const root = join(import.meta.dirname, '../..')

export interface Ended {
  readonly code: number | undefined
  readonly stdout: string
  /** Everything, for the message of a failed expectation. */
  readonly output: string
}

export function endedWith({ code, stdout, stderr }: Outcome): Ended {
  return { code, stdout, output: `exit ${code}\n--- stdout\n${stdout}\n--- stderr\n${stderr}` }
}

/** A simulated Mac behind an SSH server, and a person with an inventory of it. */
export interface MacSite extends AsyncDisposable {
  readonly mac: Mac
  /** Where the person's files lie. */
  readonly folder: string
  /** Tests in parallel need other ones: the ports are this machine's. */
  readonly port: number
  /** A Kind A of the tiny model. */
  coder(more?: object): object
  /**
   * @param more variables of the host itself
   * @param settings of the fleet
   */
  inventory(services: object, more?: object, settings?: object): Promise<void>
  converge(...args: readonly string[]): Promise<Ended>
  /** The same for who has something to do meanwhile. */
  begin(...args: readonly string[]): Begun
  /** What launchd says of an agent, with the exit code of asking. */
  job(name?: string): Promise<LaunchdJob & { readonly code: number }>
  /** The same by label. */
  jobOf(label: string): Promise<LaunchdJob & { readonly code: number }>
}

export interface Begun {
  readonly ended: Promise<Ended>
  /** Its output on stderr so far. */
  soFar(): string
  /** The same on stdout. */
  printed(): string
  interrupt(): void
}

/** @param behind what starts each command line, before the login shell of the Mac */
export async function openMac(port: number, options: MacOptions = {}, behind: readonly string[] = []): Promise<MacSite> {
  const mac = await startMac({ pace: 40, ...options })
  const ssh = await startSshServer({ loginShell: [...behind, ...mac.loginShell], output: () => mac.output() })
  const folder = await mkdtemp(join(tmpdir(), 'mac-site-'))
  const model = join(mac.home, 'models/m.gguf')
  await mkdir(join(mac.home, 'models'))
  await writeTinyModel(model)
  const env = {
    CODER_KEY: 'k3y-of-the-mac',
    CONVERGE_KEY_STUDIO_CODER: 'k3y-of-the-mac',
    CONVERGE_STATE_DIR: join(folder, 'state'),
    PATH: process.env['PATH'],
  }
  const withFiles = (args: readonly string[]) => [...args, '-i', join(folder, 'fleet.yaml'), '--ssh-config', ssh.sshConfig]
  const begin = (...args: readonly string[]): Begun => {
    const child = execa(process.execPath, [program, ...withFiles(args)], {
      cwd: root,
      env,
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    })
    let [soFar, printed] = ['', '']
    child.stderr.on('data', (bytes: Buffer) => (soFar += bytes.toString()))
    child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()))
    const ended = child.then(({ exitCode: code, stdout, stderr }) => endedWith({ code, stdout, stderr }))
    return { ended, soFar: () => soFar, printed: () => printed, interrupt: () => void child.kill('SIGINT') }
  }
  const jobOf: MacSite['jobOf'] = async (label) => {
    const { code, out = '' } = await launchctl(mac.launchd, ['print', `gui/501/${label}`])
    return { code, ...parseJob(out) }
  }
  return {
    mac,
    folder,
    port,
    coder: (more = {}) => ({
      kind: 'A',
      port,
      model: { path: model },
      executable: mac.llamaServer,
      ctx_size: 1024,
      extra_args: ['--cache-ram', '64'],
      api_key: { env: 'CODER_KEY' },
      ready_timeout: 30,
      stop_timeout: 10,
      ...more,
    }),
    inventory: async (services, more = {}, settings = {}) => {
      const studio = {
        ansible_host: '127.0.0.1',
        ansible_port: ssh.port,
        ansible_user: ssh.user,
        ansible_ssh_private_key_file: ssh.keyFile,
        platform: 'macos',
        services,
        ...more,
      }
      const fleet = { org: 'example', headroom_gb: 1, ...settings }
      await writeFile(join(folder, 'fleet.yaml'), stringify({ all: { vars: { fleet }, hosts: { studio } } }))
    },
    converge: async (...args) => endedWith(await convergeHere(withFiles(args), { env, cwd: root })),
    begin,
    job: (name = 'coder') => jobOf(`com.example.${name}`),
    jobOf,
    [Symbol.asyncDispose]: async () => {
      await ssh.stop()
      await mac[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
