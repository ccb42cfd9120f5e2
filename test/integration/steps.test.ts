import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { describeFailure } from '../../src/apply/describe-failure.ts'
import { runStep, type StepContext } from '../../src/apply/run-step.ts'
import type { PutStep } from '../../src/model/step.ts'
import { expectedOf, jumpingClock, nonce, playStep, stepCases, stepFiles } from '../apply/step-cases.ts'
import { thorough } from '../support/series.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'

const sh = promisify(execFile)

/** The shells of Debian, of a NAS, of a Mac (an old bash in sh's clothes) and of careful people. */
const shells: readonly (readonly string[])[] = [['dash'], ['busybox', 'sh'], ['bash', '--posix'], ['bash']]

const named = (some: readonly (readonly string[])[]) => some.map((shell) => [shell.join(' '), shell] as const)

it.each(named(shells.slice(1)))(
  'steps with %s: one of each kind, a signal in the middle of a write, half a script',
  async (_name, shell) => {
    const oneOfEach = stepFiles.flatMap((file) => stepCases(file).slice(0, 1))
    for (const stepCase of oneOfEach) expect(await playStep(stepCase, shell)).toMatchObject(expectedOf(stepCase))
    await using host = await shTransport(shell)
    expect(await killWhileValidating(host, 'SIGTERM')).toMatchObject({ kind: expect.stringMatching(/exit|in-doubt/) })
    expect(readdirSync(host.folder).toSorted()).toEqual(['file', 'reached'])
    expect(readFileSync(join(host.folder, 'file'), 'utf8')).toBe('old')
    expect(await leftWhereCut(shell, 5)).toEqual([])
  },
)

describe.each(named(thorough(shells)))('steps with %s', (_name, shell) => {
  describe.each(stepFiles)('%s', (file) => {
    it.each(stepCases(file))('$name', async (stepCase) => {
      expect(await playStep(stepCase, shell)).toMatchObject(expectedOf(stepCase))
    })
  })

  it('a full disk changes nothing, and is called by its name', async () => {
    await using host = await shTransport(shell)
    const disk = join(host.folder, 'disk')
    await mkdir(disk)
    await sh('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk])
    try {
      writeFileSync(join(disk, 'file'), 'old')
      const failure = await runStep(put(join(disk, 'file'), 'x'.repeat(100_000)), contextOf(host))
      expect(failure).toMatchObject({ kind: 'file', reason: 'write' })
      expect(readdirSync(disk)).toEqual(['file'])
      expect(readFileSync(join(disk, 'file'), 'utf8')).toBe('old')
      const place = { host: 'nas', service: 'coder', step: 'write' }
      const problem = failure && describeFailure(failure, place)
      expect(problem).toMatchObject({ code: 'APPLY.FILE_NOT_WRITTEN', summary: expect.stringContaining('Nothing was changed') })
      expect(problem?.why).toContain('no space left on its disk')
    } finally {
      await sh('umount', [disk])
    }
  })

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
    '%s in the middle of a write leaves the old file and nothing else',
    async (signal) => {
      await using host = await shTransport(shell)
      const failure = await killWhileValidating(host, signal)
      expect(failure).toMatchObject({ kind: expect.stringMatching(/exit|in-doubt/) })
      expect(readdirSync(host.folder).toSorted()).toEqual(['file', 'reached'])
      expect(readFileSync(join(host.folder, 'file'), 'utf8')).toBe('old')
    },
  )

  it('after a kill that cannot be caught the old file stands, and the next write sweeps what was left', async () => {
    await using host = await shTransport(shell)
    expect(await killWhileValidating(host, 'SIGKILL')).toMatchObject({ kind: 'in-doubt', why: 'it was ended by SIGKILL' })
    expect(readFileSync(join(host.folder, 'file'), 'utf8')).toBe('old')
    expect(readdirSync(host.folder)).toHaveLength(3)
    expect(await runStep(put(join(host.folder, 'file'), 'new'), contextOf(host))).toBeUndefined()
    expect(readdirSync(host.folder).toSorted()).toEqual(['file', 'reached'])
  })

  it('a script that is cut short on its way does nothing, wherever it is cut', async () => {
    expect(await leftWhereCut(shell, 40)).toEqual([])
  })
})

/** Cuts a write in so many places, and at its very end everywhere. @returns what was written all the same */
async function leftWhereCut(shell: readonly string[], places: number): Promise<readonly string[]> {
  const left: string[] = []
  await using host = await shTransport(shell)
  const whole: string[] = []
  const recorder = {
    ...host,
    exec: (script: Parameters<typeof host.exec>[0]) => (whole.push(script.text.join('')), host.exec(script)),
  }
  const target = join(host.folder, 'file')
  await runStep(put(target, 'line\n'.repeat(3)), { ...contextOf(host), transport: recorder })
  const [text = ''] = whole
  await sh('rm', [target])
  const lastLine = text.lastIndexOf('\n', text.length - 2)
  const ends = Array.from({ length: text.length - 2 - lastLine }, (_, index) => lastLine + index)
  const cuts = [...Array.from({ length: places }, (_, index) => Math.floor((lastLine * index) / places)), ...ends]
  for (const cut of cuts) {
    await host.exec({
      label: 'cut',
      text: [text.slice(0, cut)],
      args: [target, '0644', '', '0755'],
      elevate: true,
      timeoutMs: 5000,
    })
    left.push(...readdirSync(host.folder))
  }
  return left
}

function put(path: string, content: string, validate?: PutStep['validate']): PutStep {
  const step: PutStep = { do: 'put', label: 'write', guards: [], path, content: [content], mode: 0o644, folderMode: 0o755 }
  return validate === undefined ? step : { ...step, validate }
}

function contextOf(transport: ShTransport): StepContext {
  return { transport, clock: jumpingClock(), nonce }
}

/** Kills the whole process group, as sshd and a controlling terminal do, once the temporary file is complete. */
async function killWhileValidating(host: ShTransport, signal: NodeJS.Signals) {
  writeFileSync(join(host.folder, 'file'), 'old')
  const validate = { script: 'touch reached; sleep 60', args: [] }
  const running = runStep(put(join(host.folder, 'file'), 'new', validate), contextOf(host))
  await expect.poll(() => existsSync(join(host.folder, 'reached'))).toBe(true)
  for (const group of host.running) process.kill(-group, signal)
  return running
}
