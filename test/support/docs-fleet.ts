import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parse } from 'yaml'
import { startDemoFleet } from '../../simulation/demo/fleet.ts'
import { convergeToTheByte } from './converge-here.ts'
import { program } from './program.ts'

/** The hosts of the tutorial, played by those of `converge demo`; `~/fleet` of the reader is in a temporary folder. */
export interface DocsFleet extends AsyncDisposable {
  /** The reader's; this process is to have it as well, because it runs most commands. */
  readonly home: string
  /** Writes a file below the reader's home, with the paths and ports of this machine. */
  write(path: string, text: string): void
  /** Runs lines of a shell, which ends at the first that fails. Standard output as the reader sees it. */
  run(lines: string): Promise<Ended>
}

interface Ended {
  readonly exit: number | null | undefined
  readonly out: string
  readonly err: string
}

/** A line that a shell only splits into words, and its comment. One that names a file means the folder of its process. */
const plainCommand = /^converge(?!.* --out)( [\w.-]+)+ *(#.*)?$/

/** Two demos at a time have the usual ports; converge warns of others. */
async function startUsualFleet(): ReturnType<typeof startDemoFleet> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one after another
    const fleet = await startDemoFleet()
    const ports =
      readFileSync(join(fleet.inventory, 'host_vars/mini.yaml'), 'utf8') +
      readFileSync(join(fleet.inventory, 'host_vars/box.yaml'), 'utf8')
    if (!/port: 1\d{4}/.test(ports)) return fleet
    // oxlint-disable-next-line no-await-in-loop -- as above
    await fleet[Symbol.asyncDispose]()
    // oxlint-disable-next-line no-await-in-loop -- as above
    await setTimeout(1000)
  }
}

export async function startDocsFleet(): Promise<DocsFleet> {
  const fleet = await startUsualFleet()
  const home = join(fleet.folder, 'reader')
  const [mini, box] = ['mini', 'box'].map((host) => parse(readFileSync(join(fleet.inventory, `host_vars/${host}.yaml`), 'utf8')))
  const { coder, writer } = mini.services
  /** What the pages say, and what it is here. */
  const words: readonly (readonly [string, string])[] = [
    ['/opt/homebrew/bin/llama-server', coder.executable],
    ['/Users/op', coder.model.path.replace(/\/models\/[^/]*$/, '')],
    ['~/', `${home}/`],
    ['9990', `${coder.port}`],
    ['9991', `${writer.port}`],
    ['9997', `${box.services.flagship.port}`],
  ]
  const here = replacing(words)
  const seen = replacing(words.map(([page, own]) => [own, page]))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  write('bin/converge', `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(join(home, 'bin/converge'), 0o755)
  const env = {
    PATH: `${home}/bin:${process.env['PATH']}`,
    HOME: home,
    CONVERGE_INVENTORY: join(home, 'fleet'),
    CONVERGE_STATE_DIR: fleet.state,
    NO_COLOR: '1',
    ...Object.fromEntries(
      ['CODER', 'WRITER', 'FLAGSHIP'].map((name) => [`${name}_KEY`, `${name.toLowerCase()}-0123456789abcdef`]),
    ),
  }
  return {
    home,
    write: (path, text) =>
      write(path, here(text).replaceAll('ansible_user: op', `ansible_user: op, ansible_ssh_common_args: -F ${fleet.sshConfig}`)),
    run: async (lines) => {
      const { exit, out, err } = await runLines(lines, { env, cwd: home })
      return { exit, out: seen(out), err }
    },
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** Plain commands without a process of their own: starting Node takes most of a run. */
async function runLines(text: string, surroundings: Surroundings): Promise<Ended> {
  const lines = text.trim().split('\n')
  if (!lines.every((line) => line.startsWith('converge '))) return runInShell(text, surroundings)
  let all: Ended = { exit: 0, out: '', err: '' }
  for (const line of lines) {
    // oxlint-disable-next-line no-await-in-loop -- one after another
    const { exit, out, err } = await (plainCommand.test(line) ? runHere : runInShell)(line, surroundings)
    all = { exit, out: `${all.out}${out}`, err: `${all.err}${err}` }
    if (exit !== 0) break
  }
  return all
}

async function runHere(line: string, surroundings: Surroundings): Promise<Ended> {
  const [, ...words] = line.replace(/ *#.*/, '').split(' ')
  const { code, stdout, stderr } = await convergeToTheByte(words, surroundings)
  return { exit: code, out: stdout, err: stderr }
}

function runInShell(lines: string, surroundings: Surroundings): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-e', '-c', lines], { ...surroundings, stdio: ['ignore', 'pipe', 'pipe'] })
    const text = { out: '', err: '' }
    child.stdout.on('data', (chunk: Buffer) => (text.out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (text.err += chunk.toString()))
    child.on('close', (exit) => resolve({ exit, ...text }))
  })
}

/** In one go, so that nothing that was put in is replaced in turn. */
function replacing(pairs: readonly (readonly [string, string])[]): (text: string) => string {
  const by = new Map(pairs)
  const longestFirst = [...by.keys()].toSorted((a, b) => b.length - a.length)
  const any = new RegExp(longestFirst.map((one) => one.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|'), 'g')
  return (text) => text.replaceAll(any, (one) => by.get(one) ?? one)
}
