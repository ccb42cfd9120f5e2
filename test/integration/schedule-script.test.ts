import { chmod, mkdir, mkdtemp, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { array, assert, asyncProperty, constantFrom, oneof, string } from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { schedulers } from '../../src/schedulers/index.ts'
import type { ScheduledJob } from '../../src/schedulers/job.ts'
import { jobWith, op } from '../schedulers/job-with.ts'
import { casesOf, thorough } from '../support/series.ts'

const shells = { dash: ['dash'], bash: ['bash', '--posix'], busybox: ['busybox', 'ash'] } as const
const others = Object.entries(shells).slice(1)

let root: string
let made = 0
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'schedule-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

interface Scene {
  readonly job: ScheduledJob
  readonly crontab: string
  readonly script: string
  at(name: string): string
  read(name: string): Promise<string>
  run(shell?: readonly string[]): Promise<Ended>
}

interface Ended {
  readonly exitCode?: number
  readonly stdout: string
  readonly stderr: string
}

/** @param program the text of what stands for node and converge */
async function sceneWith(program: string, more: Partial<ScheduledJob> = {}): Promise<Scene> {
  const cwd = join(root, String(++made))
  const folder = more.folder === undefined ? join(cwd, 'state') : join(cwd, more.folder)
  await mkdir(folder, { recursive: true })
  await writeFile(join(cwd, 'program'), `#!/bin/sh\n${program}\n`, { mode: 0o755 })
  const environment = { PATH: process.env['PATH'] ?? '', HOME: cwd, ...more.environment }
  const job = jobWith({ jitterS: 0, cwd, program: [join(cwd, 'program')], ...more, folder, environment })
  const { crontab = '', files } = schedulers.cron.entry(job, op)
  const [file] = files
  if (file === undefined) throw new Error('there is no script')
  await writeFile(file.path, file.content, { mode: file.mode })
  const at = (name: string) => join(folder, name)
  return {
    job,
    crontab,
    script: file.path,
    at,
    read: (name) => readFile(at(name), 'utf8'),
    run: async ([shell = 'sh', ...first] = []) =>
      execa(shell, [...first, file.path], { reject: false, stripFinalNewline: false }),
  }
}

/** What Vixie's cron, and all that came from it, hands to `sh -c`: a `%` ends the command unless a backslash stands before it. */
function readByCron(command: string): string {
  let text = ''
  for (let index = 0; index < command.length; index++) {
    const two = command.slice(index, index + 2)
    if (two[0] === '%') return text
    text += two === '\\%' ? '%' : two[0] === '\\' ? two : (two[0] ?? '')
    if (two[0] === '\\') index++
  }
  return text
}

const commandOf = (crontab: string) => crontab.split('\n')[1]?.replace(/^(\S+ ){5}/, '') ?? ''

describe('what is run', () => {
  it.each(thorough(Object.entries(shells)))(
    'writes what others are to read, and keeps its own for itself: %s',
    async (_, shell) => {
      const scene = await sceneWith(': > report; umask')
      expect(await scene.run(shell)).toMatchObject({ exitCode: 0 })
      const modes = await Promise.all(
        [join(scene.at('..'), 'report'), scene.at('log'), scene.at('output')].map(async (path) => (await stat(path)).mode),
      )
      expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(['644', '600', '600'])
    },
  )

  const word = oneof(
    string({ unit: constantFrom(...Array.from('a%\\\'"$`!*~#;&|<>(){}[]^=- é')) }),
    constantFrom('%', '\\%', '%%', "'%'", '100%', '$HOME', '$(id)', '-n', '', ' '),
  )
  const folder = word.map((text) => `f${text.replaceAll('/', '')}`)

  it.each(thorough(Object.entries(shells)))('is what was asked for, to the character, under any cron (%s)', async (_, shell) => {
    await assert(
      asyncProperty(array(word, { maxLength: 5 }), folder, word, async (args, name, value) => {
        const scene = await sceneWith('printf "%s\\0" "$VALUE" "$@" >"$HOME/args"', {
          args,
          folder: name,
          environment: { VALUE: value },
        })
        const expected = [value, 'drift', '--quiet', '--format', `json=${scene.at('last.json')}`, ...args]
        const line = commandOf(scene.crontab)
        expect(line).not.toContain('\n')
        for (const command of [readByCron(line), line]) {
          const [file, ...first] = shell
          const { exitCode, stderr } = await execa(file, [...first, '-c', command], { reject: false })
          expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
          const seen = await readFile(join(scene.job.cwd, 'args'), 'utf8')
          expect(seen.split('\0').slice(0, -1)).toEqual(expected)
          await rm(join(scene.job.cwd, 'args'))
        }
      }),
      { numRuns: casesOf({ short: 12, long: 200 }), endOnFailure: true },
    )
  })
})

it.each(others)(
  'the script under %s gives a run its words and secrets, takes a dead lock over, and ends what hangs',
  async (_, shell) => {
    const words = ['100%', "it's $(id) `x` \\ !", '', '*']
    const scene = await sceneWith('printf "%s|" "$A" "$@" >"$HOME/args"; echo found; trap "exit 130" TERM; sleep 60 & wait', {
      args: words,
      limitS: 5,
    })
    await symlink(`999999999.${Math.floor(Date.now() / 1000)}`, scene.at('lock'))
    await writeFile(scene.at('environment'), "A='it is $(id)'\n", { mode: 0o600 })
    const { exitCode, stdout, stderr } = await scene.run(shell)
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: 'found\n' })
    expect(stderr).toContain('because it exceeded its limit of 5 s')
    const seen = await readFile(join(scene.job.cwd, 'args'), 'utf8')
    expect(seen.split('|')).toEqual([
      'it is $(id)',
      'drift',
      '--quiet',
      '--format',
      `json=${scene.at('last.json')}`,
      ...words,
      '',
    ])
    await expect(readlink(scene.at('lock'))).rejects.toThrow(/ENOENT/)
    const [file, ...first] = shell
    const read = await execa(
      file,
      [...first, '-c', readByCron(commandOf((await sceneWith('exit 3', { args: words })).crontab))],
      { reject: false },
    )
    expect(read.exitCode).toBe(3)
  },
)

describe.each(thorough(Object.entries(shells)))('the script under %s', (name, shell) => {
  it('says nothing after a run that found nothing, and keeps its output in the log', async () => {
    const scene = await sceneWith('pwd; echo said >&2; echo new >"$HOME/state/last.json"')
    expect(await scene.run(shell)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' })
    expect(await scene.read('log')).toMatch(
      new RegExp(`^${scene.job.cwd}\nsaid\n\\d{4}-\\d\\d-\\d\\dT[\\d:]+Z drift: ended with 0 after \\d+ s\n$`),
    )
    expect(await scene.read('last.json')).toBe('new\n')
    await expect(readlink(scene.at('lock'))).rejects.toThrow(/ENOENT/)
  })

  it('prints what a run said that found something, and ends as it did; the report of the run before is gone', async () => {
    const scene = await sceneWith('echo found; exit 2')
    await writeFile(scene.at('last.json'), 'old')
    expect(await scene.run(shell)).toMatchObject({ exitCode: 2, stdout: 'found\n', stderr: '' })
    await expect(scene.read('last.json')).rejects.toThrow(/ENOENT/)
  })

  it.each(['log', 'output'])(
    'says where its %s cannot be written, and does not end as a run that found something',
    async (file) => {
      const scene = await sceneWith('exit 0')
      await mkdir(scene.at(file))
      expect(await scene.run(shell)).toMatchObject({ exitCode: 73, stderr: expect.stringContaining(`${file} cannot be written`) })
    },
  )

  it('leaves a run out while the one before is at work', async () => {
    const scene = await sceneWith('touch "$HOME/ran"')
    await symlink(`${process.pid}.${Math.floor(Date.now() / 1000)}`, scene.at('lock'))
    expect(await scene.run(shell)).toMatchObject({
      exitCode: 75,
      stdout: '',
      stderr: expect.stringContaining('the previous run is still active'),
    })
    await expect(readFile(join(scene.job.cwd, 'ran'))).rejects.toThrow(/ENOENT/)
    expect(await readlink(scene.at('lock'))).toContain(`${process.pid}.`)
  })

  it.each([
    ['a process that is gone', () => `999999999.${Math.floor(Date.now() / 1000)}`],
    ['a pid that another process has by now', () => `${process.pid}.${Math.floor(Date.now() / 1000) - 1800 - 121}`],
  ])('takes over the lock of %s', async (_, owner) => {
    const scene = await sceneWith('touch "$HOME/ran"')
    await symlink(owner(), scene.at('lock'))
    expect(await scene.run(shell)).toMatchObject({ exitCode: 0, stderr: '' })
    await readFile(join(scene.job.cwd, 'ran'))
    await expect(readlink(scene.at('lock'))).rejects.toThrow(/ENOENT/)
    await expect(readlink(scene.at('lock.taken'))).rejects.toThrow(/ENOENT/)
  })

  it('continues the time after next if a run died while taking over a lock', async () => {
    const scene = await sceneWith('true')
    await symlink('999999999.1', scene.at('lock'))
    await symlink('999999998.1', scene.at('lock.taken'))
    expect(await scene.run(shell)).toMatchObject({ exitCode: 75 })
    expect(await scene.run(shell)).toMatchObject({ exitCode: 0 })
  })

  it('ends a run that hangs, and says so', async () => {
    const scene = await sceneWith('trap "exit 130" TERM; sleep 60 & wait', { limitS: 1 })
    const began = Date.now()
    const { exitCode, stderr } = await scene.run(shell)
    expect({ exitCode, stderr }).toMatchObject({
      // 143: the signal came before its trap was set.
      exitCode: expect.toBeOneOf([130, 143]),
      stderr: expect.stringContaining('because it exceeded its limit of 1 s'),
    })
    expect(Date.now() - began).toBeLessThan(20_000)
  })

  it('gives the run what stands in the file for secrets, and executes none of it', async () => {
    const scene = await sceneWith('printf "%s\\n" "$A" "$B" "$C" >"$HOME/values"')
    const file = scene.at('environment')
    await writeFile(file, `# keys\n\nA='it is $(touch ${scene.job.cwd}/oops) "so"'\nB="two words"\nC=x=y`, { mode: 0o600 })
    expect(await scene.run(shell)).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await readFile(join(scene.job.cwd, 'values'), 'utf8')).toBe(
      `it is $(touch ${scene.job.cwd}/oops) "so"\ntwo words\nx=y\n`,
    )
    await expect(readFile(join(scene.job.cwd, 'oops'))).rejects.toThrow(/ENOENT/)
    await chmod(file, 0o640)
    expect(await scene.run(shell)).toMatchObject({ exitCode: 78, stderr: expect.stringContaining('chmod 600') })
    await writeFile(file, 'export A=1\n')
    await chmod(file, 0o600)
    expect(await scene.run(shell)).toMatchObject({ exitCode: 78, stderr: expect.stringContaining('NAME=value') })
  })

  it('keeps a megabyte of its log and one before it, and of each run the end', async () => {
    const scene = await sceneWith('head -c 200000 /dev/zero | tr "\\0" x')
    await writeFile(scene.at('log'), 'o'.repeat(1024 * 1024 + 1))
    await scene.run(shell)
    expect((await scene.read('log.1')).length).toBe(1024 * 1024 + 1)
    expect((await scene.read('log')).length).toBeLessThan(65_536 + 200)
  })

  // Debian's BusyBox takes its own sleep, whatever is on the PATH.
  it.skipIf(name === 'busybox')('starts later by always the same, and leaves no sleep behind', async () => {
    const bin = join(root, `bin-${made}`)
    await mkdir(bin, { recursive: true })
    const fake = `#!/bin/sh\necho "$$ $1" >>"$HOME/naps"\n[ "$1" != 1 ] || exec /bin/sleep 1\n`
    await writeFile(join(bin, 'sleep'), fake, { mode: 0o755 })
    const scene = await sceneWith('true', { jitterS: 999_999_937, environment: { PATH: `${bin}:${process.env['PATH']}` } })
    await scene.run(shell)
    await scene.run(shell)
    const naps = async () =>
      (await readFile(join(scene.job.cwd, 'naps'), 'utf8'))
        .trim()
        .split('\n')
        .map((line) => line.split(' '))
    const delays = (await naps()).map(([, seconds]) => Number(seconds)).filter((seconds) => seconds !== 1)
    expect(delays.length).toBe(2)
    expect(new Set(delays).size).toBe(1)
    const sleeping = async () => Promise.all((await naps()).map(([pid = '']) => isAlive(pid)))
    await expect.poll(sleeping).not.toContain(true)
  })

  it('ends what it started when it is ended', async () => {
    const scene = await sceneWith('trap "echo ended >$HOME/ended; exit 130" TERM; echo up >"$HOME/up"; sleep 60 & wait')
    const [file, ...first] = shell
    const running = execa(file, [...first, scene.script], { reject: false })
    await expect.poll(() => readFile(join(scene.job.cwd, 'up'), 'utf8').catch(() => '')).toBe('up\n')
    running.kill('SIGTERM')
    expect(await running).toMatchObject({ exitCode: 130 })
    expect(await readFile(join(scene.job.cwd, 'ended'), 'utf8')).toBe('ended\n')
    await expect(readlink(scene.at('lock'))).rejects.toThrow(/ENOENT/)
  })
})

describe('the script as shellcheck sees it', () => {
  it('is clean', async () => {
    const { script } = await sceneWith('true', { jitterS: 300 })
    const { stdout } = await execa('shellcheck', ['--shell=sh', '--severity=style', '--format=gcc', script], { reject: false })
    expect(stdout).toBe('')
  })
})

/** A zombie does not count. */
async function isAlive(pid: string): Promise<boolean> {
  const { stdout } = await execa('ps', ['-o', 'stat=', '-p', pid], { reject: false })
  return stdout !== '' && !stdout.startsWith('Z')
}
