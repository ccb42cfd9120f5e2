import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { buildProbe } from '../../src/facts/build-probe.ts'
import type { FactQuestion } from '../../src/facts/question.ts'
import { type ProbeFacts, readProbe } from '../../src/facts/read-probe.ts'

/** A shell of this machine with the tools it finds. */
export interface ShellSetting {
  readonly shell: readonly string[]
  readonly path: string
}

export interface ProbeRun {
  readonly facts: ProbeFacts
  readonly stdout: string
  readonly stderr: string
}

const systemPath = '/usr/sbin:/usr/bin:/sbin:/bin'

/** The shells that hosts have: dash, bash as macOS calls it, BusyBox with nothing but its own applets, and an old one. */
export async function shellSettings(folder: string): Promise<Readonly<Record<string, ShellSetting>>> {
  return {
    dash: { shell: ['dash'], path: systemPath },
    bash: { shell: ['bash', '--posix'], path: systemPath },
    busybox: { shell: ['busybox', 'ash'], path: await appletFolder(join(folder, 'applets'), []) },
    'old busybox': { shell: ['busybox', 'ash'], path: await oldApplets(join(folder, 'old')) },
  }
}

async function appletFolder(folder: string, without: readonly string[]): Promise<string> {
  const { stdout } = await execa('busybox', ['--list'])
  const busybox = await absolute('busybox')
  await mkdir(folder)
  const applets = stdout.split('\n').filter((applet) => !without.includes(applet))
  await Promise.all(applets.map((applet) => symlink(busybox, join(folder, applet))))
  return folder
}

/** As on a NAS of ten years ago: fewer applets, and a grep that knows no `-z`. */
async function oldApplets(folder: string): Promise<string> {
  const busybox = await absolute('busybox')
  await appletFolder(folder, ['base64', 'grep', 'setsid', 'timeout'])
  const grep = `#!/bin/sh\ncase $1 in -*z*) echo "invalid option -- z" >&2; exit 2 ;; esac\nexec ${busybox} grep "$@"\n`
  await writeFile(join(folder, 'grep'), grep, { mode: 0o755 })
  return folder
}

/**
 * Runs the probe as a transport does: its text on stdin, what is asked as arguments.
 *
 * @param edited makes another script of it, whose limits are shorter
 */
export async function runProbe(
  { shell, path }: ShellSetting,
  question: FactQuestion,
  home: string,
  edited = (script: string) => script,
): Promise<ProbeRun> {
  const probe = buildProbe(question)
  const [command = 'sh', ...first] = shell
  const { stdout, stderr } = await execa(await absolute(command), [...first, '-s', '--', ...probe.args], {
    input: edited(probe.script),
    env: { PATH: path, HOME: home, TMPDIR: home, LOGNAME: 'root', USER: 'root' },
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
  })
  return { facts: readProbe({ stdout, stderr, timedOut: false }, probe, question), stdout, stderr }
}

/** Where a tool of this machine lies. */
export async function absolute(tool: string): Promise<string> {
  const { stdout } = await execa('sh', ['-c', 'command -v "$0"', tool])
  return stdout
}
