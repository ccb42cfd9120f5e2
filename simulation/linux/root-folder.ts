import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { kindALines } from '../kind-a-program.ts'
import { becomes } from '../node-program.ts'
import { writeProgram, writeTool, writeTools } from '../tool-socket.ts'
import { fixedAnswers, fixedWordsOfKindB } from './fixed-answers.ts'
import type { Machine } from './machine.ts'
import { tools } from './system-tools.ts'

/** The one person of the box; may do everything by sudo, without a password. */
export const person = { name: 'op', uid: 1000, home: '/home/op' } as const

export interface Furniture {
  readonly root: string
  readonly machine: Machine
  readonly socketPath: string
  /** A folder with the programs of this machine that the box has, and their names. */
  readonly borrowed: string
  readonly programs: readonly string[]
}

export async function furnish({ root, machine, socketPath, borrowed, programs }: Furniture): Promise<void> {
  for (const folder of [
    'etc/systemd/system',
    'run/systemd/system',
    'sys/fs/cgroup',
    'proc',
    'root',
    'srv',
    'var/log',
    `.${person.home}`,
  ]) {
    await mkdir(join(root, folder), { recursive: true })
  }
  const release = `PRETTY_NAME="${machine.distribution}"\nNAME="Debian GNU/Linux"\nID=debian\n`
  await writeFile(join(root, 'etc/os-release'), release)
  await writeFile(join(root, 'etc/hostname'), `${machine.hostname}\n`)
  const accounts = ['root:x:0:0:root:/root:/bin/sh', `${person.name}:x:${person.uid}:${person.uid}::${person.home}:/bin/sh`]
  await writeFile(join(root, 'etc/passwd'), accounts.map((line) => `${line}\n`).join(''))
  const bin = join(root, 'usr/bin')
  await mkdir(bin, { recursive: true })
  for (const name of programs) if (name !== 'head') await symlink(join(borrowed, name), join(bin, name))
  await writeTools(bin, socketPath, ['systemctl', 'journalctl', ...Object.keys(tools)])
  await writeTool(join(bin, 'head'), socketPath, join(borrowed, 'head'))
  // What shells answer; they ask the box for the rest.
  for (const [name, answers] of Object.entries({ ...fixedAnswers(machine), id: idAnswers(root) })) {
    const asks = join(dirname(socketPath), 'simulation', name)
    await writeTool(asks, socketPath)
    await writeProgram(join(bin, name), `case $* in\n${answers}\nesac\nexec '${asks}' "$@"`)
  }
  await writeProgram(join(bin, 'sudo'), sudoLines(root))
  await writeServers(root, socketPath)
}

/** Scripts ask most often, and only, who runs them: the shell can read that itself, in a quarter of the time of a tool. */
function idAnswers(root: string): string {
  return `-un) echo "$LOGNAME"; exit ;;
-u) while IFS=: read -r name _ uid _; do if [ "$name" = "$LOGNAME" ]; then echo "$uid"; exit; fi; done <'${root}/etc/passwd' ;;`
}

function sudoLines(root: string): string {
  return `account=root
while :; do
  case $1 in
  -n | -H | -k | -S) shift ;;
  -u) account=$2; shift 2 ;;
  -p) shift 2 ;;
  --) shift; break ;;
  -*) echo "sudo: not simulated: $1" >&2; exit 64 ;;
  *) break ;;
  esac
done
case $account in
root | '#0') name=root home=${root}/root ;;
${person.name} | '#${person.uid}') name=${person.name} home=${root}${person.home} ;;
*) echo "sudo: unknown user: $account" >&2; exit 1 ;;
esac
case $LOGNAME in root) SUDO_UID=0 ;; *) SUDO_UID=${person.uid} ;; esac
SUDO_USER=$LOGNAME SUDO_GID=$SUDO_UID LOGNAME=$name USER=$name HOME=$home
PATH=${root}/usr/local/bin:${root}/usr/bin
export SUDO_USER SUDO_UID SUDO_GID LOGNAME USER HOME PATH
exec "$@"`
}

/**
 * A Kind B where its units have it, the interpreter that runs it, and a Kind A. The box itself answers `--version` and `--help` of a Kind B
 * in its place: starting Node twice would be most of the time of a probe.
 */
async function writeServers(root: string, socketPath: string): Promise<void> {
  const python = join(root, 'usr/bin/python3')
  const kindB = `${becomes('./kind-b/server.ts')} "$0" "$@"`
  // It has the name of the interpreter, but is on no path.
  const words = join(dirname(socketPath), 'simulation/python3')
  await writeTool(words, socketPath)
  const asks = `*' --version '* | *' --help '*) exec '${words}' "$@" ;;`
  await writeProgram(
    python,
    `case $1 in */serve) ;; *) echo "python3: not simulated: $1" >&2; exit 64 ;; esac
if [ -e "$1" ] && [ ! -e "$1.knobs.json" ]; then case $* in\n${fixedWordsOfKindB()}\nesac; fi
case " $* " in ${asks} esac\n${kindB}`,
  )
  await writeProgram(join(root, 'opt/kindb/serve'), `exec '${python}' "$0" "$@"`)
  await writeProgram(join(root, 'usr/local/bin/llama-server'), kindALines())
}
