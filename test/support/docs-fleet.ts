import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parse } from 'yaml'
import { startDemoFleet } from '../../simulation/demo/fleet.ts'
import { program } from './program.ts'

/** The hosts of the tutorial, played by those of `converge demo`; `~/fleet` of the reader is in a temporary folder. */
export interface DocsFleet extends AsyncDisposable {
  /** Writes a file below the reader's home, with the paths and ports of this machine. */
  write(path: string, text: string): void
  /** Runs lines of a shell, which ends at the first that fails. Standard output as the reader sees it. */
  run(lines: string): Promise<{ readonly exit: number | null; readonly out: string; readonly err: string }>
}

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
    write: (path, text) =>
      write(path, here(text).replaceAll('ansible_user: op', `ansible_user: op, ansible_ssh_common_args: -F ${fleet.sshConfig}`)),
    run: (lines) =>
      new Promise((resolve) => {
        const child = spawn('/bin/sh', ['-e', '-c', lines], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] })
        const text = { out: '', err: '' }
        child.stdout.on('data', (chunk: Buffer) => (text.out += chunk.toString()))
        child.stderr.on('data', (chunk: Buffer) => (text.err += chunk.toString()))
        child.on('close', (exit) => resolve({ exit, out: seen(text.out), err: text.err }))
      }),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

/** In one go, so that nothing that was put in is replaced in turn. */
function replacing(pairs: readonly (readonly [string, string])[]): (text: string) => string {
  const by = new Map(pairs)
  const longestFirst = [...by.keys()].toSorted((a, b) => b.length - a.length)
  const any = new RegExp(longestFirst.map((one) => one.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|'), 'g')
  return (text) => text.replaceAll(any, (one) => by.get(one) ?? one)
}
