import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneIn } from '../../support/series.ts'
import { type LabHost, mustExec } from '../host.ts'
import { labHost, noLab } from '../lab-hosts.ts'
import { command } from './converge.ts'
import { processesOf } from './model-server.ts'
import { expectExit, expectWords, kindA, machine, openSite, type Site } from './site.ts'
import { openTerminal } from './terminal.ts'

const escape = '\u001b'

/** Remains of control sequences, and signs that a terminal could not show. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const garbage = /[\u0000-\u0008\u000b-\u001f\u007f\ufffd]|\[\d*[ABJKm]|\[\?\d+[hl]/

describe.skipIf(noLab)('what people see', () => {
  let site: Site
  let nas: LabHost
  const wanted = (more: object = {}) => site.write({ nas: machine({ coder: kindA({ ...more }), second: kindA({ port: 9991 }) }) })

  beforeAll(async () => {
    nas = labHost('nas')
    site = await openSite(nas.sshConfigFile)
  })

  afterAll(async () => {
    await mustExec(
      nas,
      'for one in coder second; do docker rm -f $one; docker network rm ${one}_default; rm -rf /etc/converge/*/$one /etc/converge/*/$one.key; done; :',
    )
    await site?.dispose()
  })

  it.each([80, 120])('is a plan that can be read on a terminal of %i columns', async (columns) => {
    await wanted()
    await using terminal = await openTerminal(site, ['plan'], { columns })
    expect(await terminal.exitCode()).toBe(3)
    const screen = await terminal.screen()
    expectWords(screen, [
      /^nas/m,
      /\+ install coder/,
      /> start coder/,
      /✗ \S+ second {2}CORUN\.SECOND_KIND_A/,
      /^nas : install=2 {2}start=1 {2}refused=1/m,
      /^Plan: 3 to change \(2 install, 1 start\), 1 refused/m,
    ])
    expect(screen).not.toMatch(garbage)
    expect(wordsCutInTwo(screen, await terminal.unbroken(), columns)).toEqual([])
    // Progress is wiped off when it is done.
    expect(screen.split('\n').filter((line) => /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/.test(line))).toEqual([])
  })

  it('is a question before anything is done, and no harm in saying no', async () => {
    const before = await traces(nas)
    await using terminal = await openTerminal(site, ['apply'], { columns: 100 })
    const asked = await terminal.shows(/\[y\/N\]|\(y\/N\)|yes/i)
    expect(asked).toMatch(/\+ install coder/)
    await terminal.type('n\r')
    expect(await terminal.exitCode()).not.toBe(1)
    expect(await processesOf(nas, '^[^ ]*llama-server ')).toEqual([])
    expect(await traces(nas)).toBe(before)
  })

  // A plan shows how lines are broken at each width.
  it.each(oneIn(2, [120, 80]))('is an apply that can be followed on a terminal of %i columns', async (columns) => {
    await wanted({ ctx_size: columns * 8 })
    await using terminal = await openTerminal(site, ['apply'], { columns })
    await terminal.shows(/\[y\/N\]|\(y\/N\)|yes/i)
    await terminal.type('y\r')
    expect(await terminal.exitCode()).toBe(3)
    const screen = await terminal.screen()
    expect(screen.replaceAll(/\s+/g, ' ')).toMatch(
      / Done: \d applied, .*1 of 1 server verified.* (A second plan is empty|Only refused changes remain)/,
    )
    expect(screen.match(/^Done: /gm)).toHaveLength(1)
    expect(screen.match(/^Plan: /gm), 'the plan is shown once').toHaveLength(1)
    expect(screen.match(/^RECAP$/gm)).toHaveLength(2)
    expect(screen).not.toMatch(garbage)
    expect(wordsCutInTwo(screen, await terminal.unbroken(), columns)).toEqual([])
  })

  /** A plan in a process of its own, whatever the other runs have. */
  async function piped(env: Readonly<Record<string, string>>, ...options: readonly string[]) {
    const [file = '', ...before] = command
    const { exitCode, stdout, stderr } = await execa(file, [...before, ...site.arguments(['plan', ...options])], {
      env: site.environment(env),
      extendEnv: false,
      cwd: site.home,
      stdin: 'ignore',
      reject: false,
    })
    expect(exitCode).toBe(3)
    return { stdout, stderr }
  }

  it('is plain lines where it is piped: the result on stdout, progress on stderr', async () => {
    const env = { TERM: 'xterm-256color' }
    const { stdout, stderr } = await piped(env)
    expect(stdout).toMatch(/^Plan: /m)
    expect(stdout + stderr).not.toContain(escape)
    expect(stderr).not.toMatch(/^Plan: /m)
    expect(stderr).toContain('nas')
    expect(await piped(env, '-q')).toEqual({ stderr: '', stdout })
  })

  it('is plain where NO_COLOR is set, on a terminal too', async () => {
    expect((await piped({ FORCE_COLOR: '1' })).stdout).toContain(`${escape}[`)
    expect((await piped({ FORCE_COLOR: '1' }, '--no-color')).stdout).not.toContain(escape)
    expect((await piped({ NO_COLOR: '1' })).stdout).not.toContain(escape)
  })

  it.each([
    ['hosts', 0],
    ['facts', 0],
    ['plan', 3],
    ['status', 0],
    ['verify', 0],
    ['validate', 0],
  ])('is one JSON document and nothing else from %s --json', async (verb, exitCode) => {
    await wanted({ ctx_size: 960 })
    const { stdout } = expectExit(await site.run([verb, '--json', ...(verb === 'verify' ? ['-s', 'coder'] : [])]), exitCode)
    expect(JSON.parse(stdout)).toMatchObject({ schema: expect.stringMatching(/^converge\/[a-z]+\/v1$/) })
  })
})

/** Everything under converge's folder, with the time each was changed; other tests may have left folders there. */
function traces(host: LabHost): Promise<string> {
  return mustExec(host, `find /etc/converge -printf '%p %T@\\n' 2>/dev/null | sort`)
}

/** A command, or a line of a diff or its path. */
const toBeCopied = /^ *(next: +)?converge |^ {6}[-+@/]/

/** Rows that the terminal had to break in the middle of a word, what is to be copied aside. */
function wordsCutInTwo(screen: string, unbroken: string, columns: number): readonly string[] {
  const whole = new Set(unbroken.split('\n').map((line) => line.trimEnd()))
  const commands = [...whole].filter((line) => toBeCopied.test(line))
  const rows = screen.split('\n')
  return rows.filter((row, index) => {
    const broken = row.length >= columns && !whole.has(row.trimEnd()) && rows[index + 1] !== undefined
    return broken && /\S$/.test(row) && /^\S/.test(rows[index + 1] ?? '') && !commands.some((line) => line.includes(row.trim()))
  })
}
