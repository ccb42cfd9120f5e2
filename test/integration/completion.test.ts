import { execFile, execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, it, type TestContext } from 'vitest'
import { shells } from '../../src/cli/completion/shells/index.ts'
import { shellQuote } from '../../src/lib/shell-quote.ts'
import { program } from '../support/program.ts'
import { thorough } from '../support/series.ts'
import { systemCalls, tracing } from '../support/system-calls.ts'

// Real shells in a real terminal: keys are typed, and the screen is read.

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

let folder = ''
let env: Record<string, string> = {}
const at = (...names: readonly string[]) => join(folder, ...names)
const tmux = (...args: readonly string[]) => run('tmux', ['-u', '-L', `converge-completion-${process.pid}`, ...args], { env })

/** Names that would do something if a shell ever took them for code. */
const strange = ['$(touch pwned)', '`touch pwned`', "'; touch pwned; '", 'a b', 'a\nb', 'a\u001b[2Jb', '-n']
const keys = strange.map((name) => `${JSON.stringify(name)}: {}`).join(', ')
const files = {
  'inventories/home/hosts.yaml': `all:
  vars:
    fleet: { org: example }
  children:
    macs:
      hosts: { mini-01: , mini-02: , studio: { services: { coder: { api_key: { command: [touch, pwned] } } } } }
    small:
      hosts: { mini-01: , mini-02: }
    linux:
      hosts: { nas: { services: { helper: {}, ${keys} } }, box: { services: { flagship: {} } }, ${keys} }
    other:
      hosts: { mini-01: }
      children: { ${keys} }
`,
  'inventories/home/group_vars/macs.yaml': 'secret: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6161\n',
  'broken/hosts.yaml': 'all: [\n',
  'site.yaml': '[]',
  'a plan.json': '{}',
  'x$(touch pwned).yaml': '[]',
  'bin/converge': `#!/bin/sh\nexec ${shellQuote([process.execPath, program])} "$@"\n`,
  password: '#!/bin/sh\ntouch pwned\n',
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'converge-completion-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(at(name)), { recursive: true })
    await writeFile(at(name), text)
  }
  await chmod(at('bin/converge'), 0o755)
  await chmod(at('password'), 0o755)
  const PATH = `${at('bin')}:${process.env['PATH']}`
  env = { PATH, HOME: folder, LC_ALL: 'C.UTF-8', TERM: 'xterm', ANSIBLE_VAULT_PASSWORD_FILE: at('password') }
})

afterAll(async () => {
  await tmux('kill-server').catch(() => undefined)
  await rm(folder, { recursive: true, force: true })
})

/** How each is started with a script of its own, and that script. */
const starts = {
  bash: {
    command: 'bash --noprofile --rcfile set-up.bash',
    setUp: `PS1='> '; bind 'set bell-style none'; bind 'set show-all-if-ambiguous on'; eval "$(converge completion bash)"`,
  },
  zsh: {
    command: 'ZDOTDIR=. zsh -d',
    setUp: `PS1='> '; autoload -Uz compinit; compinit -u -D; eval "$(converge completion zsh)"`,
  },
  fish: {
    command: 'fish --no-config --init-command "source set-up.fish"',
    setUp: "function fish_prompt; echo -n '> '; end; set -g fish_autosuggestion_enabled 0; converge completion fish | source",
  },
} as const

type ShellName = keyof typeof starts
const shellNames = Object.keys(starts) as ShellName[]

/** The session of that name: without its signs, a window counts too, and one of another session may be called `bash` for a moment. */
const paneOf = (shell: ShellName) => `=${shell}:`
const screen = async (shell: ShellName) => (await tmux('capture-pane', '-p', '-t', paneOf(shell))).stdout.trimEnd()

async function start(shell: ShellName): Promise<void> {
  const { command, setUp } = starts[shell]
  await writeFile(at(shell === 'zsh' ? '.zshrc' : `set-up.${shell}`), `${setUp}\nclear\n`)
  await tmux('new-session', '-d', '-s', shell, '-x', '100', '-y', '45', '-c', folder, command)
}

/** Types a line and Tab, on an empty screen. */
async function complete(shell: ShellName, line: string, { expect }: Pick<TestContext, 'expect'>): Promise<void> {
  await tmux('send-keys', '-t', paneOf(shell), 'C-u', 'C-l')
  await expect.poll(() => screen(shell), polling).toBe('>')
  await tmux('send-keys', '-t', paneOf(shell), '-l', line)
  await tmux('send-keys', '-t', paneOf(shell), 'Tab')
}

/** Each look at a screen starts a process. */
const polling = { interval: 80 }

/** What is typed, and what stands there after Tab and `X`, which shows where the cursor is. */
const completed: readonly (readonly [string, string])[] = [
  ['converge pl', 'converge plan X'],
  ['converge plan --li', 'converge plan --limit X'],
  ['converge plan --limit nas,b', 'converge plan --limit nas,box X'],
  ["converge plan --limit 'macs:&sm", "converge plan --limit 'macs:&small' X"],
  ['converge plan --limit=macs:stu', 'converge plan --limit=macs:studio X'],
  ['converge plan --allow WARM.RES', 'converge plan --allow WARM.RESTART@X'],
  ['converge plan --format=html=si', 'converge plan --format=html=site.yaml X'],
  ['converge apply a', String.raw`converge apply a\ plan.json X`],
  ['converge apply x', String.raw`converge apply x\$\(touch\ pwned\).yaml X`],
  [
    'converge plan --reason $(touch pwned)`touch pwned` --limit n',
    'converge plan --reason $(touch pwned)`touch pwned` --limit nas X',
  ],
  ['converge nonsense n', 'converge nonsense nX'],
]

/** Of these, the shells know nothing: they show the same words as above in the same way, whatever those complete. */
const completedAlike: typeof completed = [
  ['converge plan --allow WARM.RESTART@fl', 'converge plan --allow WARM.RESTART@flagship X'],
  ['converge explain warm', 'converge explain WARM.RESTART X'],
  ['converge render co', 'converge render coder X'],
  ['converge schedule cron --every 1h -- drift --limit n', 'converge schedule cron --every 1h -- drift --limit nas X'],
  ['converge plan -i broken --limit n', 'converge plan -i broken --limit nX'],
  ['converge plan -i missing --limit n', 'converge plan -i missing --limit nX'],
]

describe('with Tab', () => {
  it.concurrent.for(shellNames)('completes in %s', { timeout: 120_000 }, async (shell, { expect }) => {
    await start(shell)
    await expect.poll(() => screen(shell), polling).toBe('>')
    const alike = thorough(shellNames).includes(shell) ? completedAlike : []
    for (const [line, expected] of [...completed, ...alike]) {
      await complete(shell, line, { expect })
      await tmux('send-keys', '-t', paneOf(shell), '-l', 'X')
      await expect.poll(() => screen(shell), polling).toBe(`> ${expected}`)
    }
    await complete(shell, 'converge plan --limit ', { expect })
    await expect.poll(() => screen(shell), polling).toMatch(/macs .*group of 3 hosts[^]*nas .*host with helper[^]*@failed/)
    expect(await screen(shell)).not.toMatch(/touch|a b/)
    await expect(stat(at('pwned'))).rejects.toThrow('ENOENT')
  })
})

describe('the scripts', () => {
  it.for([
    ['bash', ['shellcheck', '--shell=bash']],
    ['zsh', ['zsh', '-n']],
    ['fish', ['fish', '--no-config', '-n']],
  ] as const)('are sound: %s', async ([shell, [checker, ...args]], { expect }) => {
    await writeFile(at(shell), shells[shell]?.script ?? '')
    expect(await run(checker, [...args, at(shell)], { env })).toEqual({ stdout: '', stderr: '' })
  })
})

describe.skipIf(process.platform !== 'linux')('a completion', () => {
  it('starts nothing, writes nothing, connects to nothing, and loads little', async ({ expect }) => {
    execFileSync('mkfifo', [at('inventories/home/pipe.yaml')])
    const [strace, ...args] = await tracing(at('trace'))
    const words = [process.execPath, program, 'complete', 'zsh', 'plan', '--limit', '']
    const { stdout, stderr } = await run(strace, [...args, ...words], { cwd: folder, env })
    expect(stdout).toContain('studio')
    expect(stderr).toBe('')
    const lines = await systemCalls(at('trace'))
    expect(lines.filter((line) => /execve/.test(line)).length).toBe(1)
    expect(lines.filter((line) => /\b(?:socket|connect)\(/.test(line))).toEqual([])
    const written = lines.filter((line) => /O_(?:WRONLY|RDWR|CREAT)/.test(line) && !/"\/dev\/null"/.test(line))
    expect(written.filter((line) => !line.includes(at('.cache/converge/')))).toEqual([])
    const loaded = lines.flatMap((line) => new RegExp(`"(${root}/dist/[^"]*)"`).exec(line)?.[1] ?? [])
    const sizes = await Promise.all(loaded.map(async (path) => (await stat(path)).size))
    const total = sizes.reduce((sum, size) => sum + size, 0)
    expect(total).toBeGreaterThan(100_000)
    expect(total).toBeLessThan(700_000)
  })
})
