import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, it, vi } from 'vitest'
import type { Fault } from '../../simulation/mac/launchd.ts'
import { type Mac, type MacOptions, startMac } from '../../simulation/mac/mac.ts'

const script = join(import.meta.dirname, '../../scripts/mac-conformance')

interface Result {
  readonly code: number | undefined
  /** Every line of the table. */
  readonly rows: readonly { readonly verdict: string; readonly text: string }[]
  /** Everything, for the message of a failed expectation. */
  readonly all: string
  /** Names of loaded jobs and of files that are left. */
  readonly left: readonly string[]
  /** Labels with an override, and whether they are disabled. */
  readonly overrides: readonly (readonly [string, boolean])[]
}

interface Scene extends MacOptions {
  readonly words?: readonly string[]
  readonly variables?: Readonly<Record<string, string>>
  readonly faults?: readonly Fault[]
  readonly shell?: readonly string[]
  /** Terminates the script as soon as this holds. */
  readonly until?: (mac: Mac) => boolean
}

/** Runs the script on a Mac whose launchd runs four times faster: the moments that the script looks for still last some tenths of a second. */
async function conform({
  words = [],
  variables = {},
  faults = [],
  shell = ['/bin/sh'],
  until,
  ...options
}: Scene): Promise<Result> {
  await using mac = await startMac({ pace: 4, ...options })
  mac.launchd.settings.faults.push(...faults)
  const folder = await mkdtemp(join(tmpdir(), 'conformance-test-'))
  const env = { ...mac.environment, TMPDIR: folder, ...variables }
  const [program = '', ...flags] = shell
  const running = execa(program, [...flags, script, ...words], {
    env,
    extendEnv: false,
    reject: false,
    all: true,
    stdin: 'ignore',
  })
  if (until !== undefined) {
    await vi.waitUntil(() => until(mac), { timeout: 180_000, interval: 20 })
    running.kill('SIGTERM')
  }
  const { exitCode, all } = await running
  const jobs = mac.launchd.jobsIn('gui/501') ?? new Map()
  const daemons = mac.launchd.jobsIn('system') ?? new Map()
  const left = [
    ...jobs.keys(),
    ...daemons.keys(),
    ...(await readdir(folder)),
    ...(await readdir(join(mac.home, 'Library/LaunchAgents'))),
  ]
  await rm(folder, { recursive: true, force: true })
  const rows = [...all.matchAll(/^ {2}(seen|not tried|NOT SEEN) +(.*)$/gm)].map(([, verdict = '', text = '']) => ({
    verdict,
    text,
  }))
  return { code: exitCode, rows, all, left, overrides: [...mac.launchd.disabled] }
}

/** The start of the lines that were not tried. */
function untried({ rows }: Result): readonly string[] {
  return rows.flatMap(({ verdict, text }) => (verdict === 'not tried' ? [text.replace(/ \(.*$/, '')] : []))
}

const loggedOut = ['no user at the screen: print ends with 112 or 125', 'no user at the screen: bootstrap ends with 125']
const held = 'print shows a start that is held back'
/** Without --daemon. */
const asRoot = [
  "root: bootstrap of another account's property list into system ends with 5",
  'root: a daemon runs as its UserName',
  'root: it has the HOME of its property list',
  'root: Umask 23 gives its log the mode 640',
  'root: bootout removes it',
  'root: sudo -u NAME tries what that account can read',
]

describe.concurrent('the simulated Mac conforms to the assumptions of src', { timeout: 240_000 }, () => {
  it('at the desktop', async ({ expect }) => {
    const result = await conform({ session: 'Aqua', words: ['--daemon'] })
    expect(result, result.all).toMatchObject({ code: 0, left: [] })
    expect(result.rows.length).toBeGreaterThan(100)
    expect(untried(result), result.all).toEqual([
      ...loggedOut,
      held,
      'elsewhere, list LABEL misses agents of the desktop: 113',
      'elsewhere, stop LABEL ends with 0 and stops no agent of the desktop',
      'elsewhere, load ends with 0 and loads nothing for the desktop',
    ])
    expect(result.overrides).toEqual([['com.example.converge-conformance.switch', false]])
  })

  it('over SSH', async ({ expect }) => {
    const result = await conform({
      // The /bin/sh of a Mac.
      shell: ['/usr/bin/env', 'bash', '--posix'],
      variables: { SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' },
    })
    expect(result, result.all).toMatchObject({ code: 0, left: [] })
    expect(untried(result), result.all).toEqual([
      ...loggedOut,
      held,
      ...asRoot,
      'at the desktop, list LABEL prints its pid',
      'at the desktop, load starts what KeepAlive starts',
      'at the desktop, load of a loaded job ends with 0, and complains',
      'at the desktop, stop leaves it loaded and down',
      'at the desktop, unload removes it',
    ])
    expect(result.all).toContain('(session of kind Background, over SSH)')
  })

  it('over SSH, where starts are held back', async ({ expect }) => {
    const result = await conform({ pendsOverSsh: true, words: ['--no-overrides'] })
    expect(result, result.all).toMatchObject({ code: 0, left: [], overrides: [] })
    expect(untried(result), result.all).not.toContain(held)
    expect(result.all).toContain('launchd holds it back: state = not running')
  })

  it('without a user at the screen', async ({ expect }) => {
    const result = await conform({ consoleUser: null })
    expect(result, result.all).toMatchObject({ code: 0, left: [] })
    expect(
      untried(result).filter((text) => loggedOut.includes(text)),
      result.all,
    ).toEqual([])
    expect(untried(result), result.all).toContain('bootstrap ends with 0')
  })
})

describe.concurrent('a Mac that differs', { timeout: 240_000 }, () => {
  it('makes one line fail, and the exit code', async ({ expect }) => {
    const result = await conform({ consoleUser: null, faults: [{ verb: 'bootstrap', code: 5, times: 1 }], words: ['--tap'] })
    expect(result, result.all).toMatchObject({ code: 1, left: [] })
    const missed = result.all.split('\n').filter((line) => line.startsWith('not ok'))
    expect(missed, result.all).toEqual([
      expect.stringMatching(/^not ok \d+ - no user at the screen: bootstrap ends with 125 # 5: Bootstrap failed: 5/),
    ])
    expect(result.all).toMatch(/^1\.\.\d+$/m)
  })

  it('early on does not stop the other checks', async ({ expect }) => {
    const result = await conform({ faults: [{ verb: 'bootstrap', code: 5, times: 1000 }] })
    expect(result, result.all).toMatchObject({ code: 1, left: [] })
    const missed = result.rows.filter(({ verdict }) => verdict === 'NOT SEEN').map(({ text }) => text)
    expect(missed[0], result.all).toBe('bootstrap ends with 0 (5: Bootstrap failed: 5: Input/output error)')
    expect(
      missed.filter((text) => !/Bootstrap failed: 5|kickstart: Bad request/.test(text)),
      result.all,
    ).toEqual([])
  })

  it('is left clean, also by a script that is terminated', async ({ expect }) => {
    const result = await conform({ until: (mac) => mac.launchd.pids().length > 0 })
    expect(result, result.all).toMatchObject({ code: 143, left: [] })
  })
})

const here = (...words: readonly string[]) => execa(script, words, { reject: false })

describe('the script', () => {
  it.skipIf(process.platform === 'darwin')('refuses to run on another system', async ({ expect }) => {
    expect(await here()).toMatchObject({ exitCode: 64, stdout: '', stderr: expect.stringContaining('not macOS') })
  })

  it('prints its help, and rejects unknown options', async ({ expect }) => {
    expect(await here('--help')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('about two minutes') })
    expect(await here('--all')).toMatchObject({ exitCode: 64, stderr: expect.stringContaining('usage:') })
  })
})
