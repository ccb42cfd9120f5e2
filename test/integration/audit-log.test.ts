import { execFile } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { auditFunctions, auditLine, longestLog } from '../../src/apply/audit-log.ts'
import { describeFailure } from '../../src/apply/describe-failure.ts'
import { guardedScript } from '../../src/apply/remote-script.ts'
import { runStep, type StepContext } from '../../src/apply/run-step.ts'
import { createStepJournal, type RunOnHost } from '../../src/apply/step-journal.ts'
import type { Check, RunStep, Step } from '../../src/model/step.ts'
import { jumpingClock, nonce } from '../apply/step-cases.ts'
import { memoryJournal, runOn } from '../support/memory-journal.ts'
import { thorough } from '../support/series.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'

const sh = promisify(execFile)
const shells: readonly (readonly string[])[] = [['dash'], ['busybox', 'sh'], ['bash', '--posix'], ['bash']]

function contextOf(transport: ShTransport, more: Partial<RunOnHost> = {}): StepContext {
  const journal = createStepJournal(memoryJournal(), runOn('nas', transport.folder, more))
  return {
    transport,
    clock: jumpingClock(),
    nonce,
    written: { journal, subject: { service: 'coder', action: 'nas/coder/start' } },
  }
}

const holds: Check = { label: 'it holds', script: ':', args: ['an argument'] }
const act = (script: string, more: Partial<RunStep> = {}): Step => ({
  do: 'run',
  label: 'act',
  guards: [holds],
  script,
  args: [],
  timeoutMs: 10_000,
  ...more,
})

const logOf = (host: ShTransport) => join(host.folder, 'audit.log')

function linesOf(host: ShTransport): readonly Readonly<Record<string, unknown>>[] {
  const text = readFileSync(logOf(host), 'utf8')
  expect(text.endsWith('\n')).toBe(true)
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const named = (some: readonly (readonly string[])[]) => some.map((shell) => [shell.join(' '), shell] as const)

it.each(named(shells))(
  'the log on a host, under %s, records each intended step and its outcome, once its guards passed',
  async (_name, shell) => {
    await using host = await shTransport(shell)
    const label = `write "it"\\ \n\u0001 \u2028 'so' $HOME \`x\` %s \u00fc`
    const approvals = [
      { event: 'consent-used', host: 'nas', service: 'coder', code: 'WARM.RESTART', reason: 'we "must"' },
    ] as const
    const context = contextOf(host, { approvals, takenOver: 'took over a dead lock' })
    expect(await runStep(act('exit 0', { guards: [{ ...holds, script: 'exit 1' }] }), context)).toMatchObject({ kind: 'guard' })
    expect(existsSync(logOf(host))).toBe(false)
    expect(await runStep(act('echo done >there', { label }), context)).toBeUndefined()
    expect(await runStep(act('echo no >&2; exit 7'), context)).toEqual({ kind: 'exit', exitCode: 7, said: 'no' })
    const run_id = 'run-1'
    const step = { service: 'coder', action: 'nas/coder/start' }
    const at = expect.any(Number)
    expect(linesOf(host)).toEqual([
      { event: 'run-begun', run_id, owner: 'op', controller: 'laptop', version: '0.0.0', at },
      { event: 'lock-taken-over', run_id, note: 'took over a dead lock', at },
      { event: 'consent-used', run_id, code: 'WARM.RESTART', service: 'coder', reason: 'we "must"', at },
      { event: 'step-intended', run_id, n: 2, ...step, step: label, at },
      { event: 'step-ended', run_id, n: 2, status: 0, at },
      { event: 'step-intended', run_id, n: 3, ...step, step: 'act', at },
      { event: 'step-ended', run_id, n: 3, status: 7, at },
    ])
    expect(Math.abs(Number(linesOf(host)[0]?.['at']) - Date.now() / 1000)).toBeLessThan(60)
  },
)

describe.each(named(thorough(shells)))('the log on a host, under %s', (_name, shell) => {
  it('records files as well, and why they were refused', async () => {
    await using host = await shTransport(shell)
    const file = { label: 'write', guards: [], path: join(host.folder, 'f'), content: ['x'], mode: 0o600, folderMode: 0o755 }
    expect(await runStep({ do: 'put', ...file }, contextOf(host))).toBeUndefined()
    symlinkSync('/nowhere', join(host.folder, 'link'))
    const failure = await runStep({ do: 'delete', label: 'delete', guards: [], path: join(host.folder, 'link') }, contextOf(host))
    expect(failure).toMatchObject({ kind: 'file', reason: 'symlink' })
    expect(linesOf(host).flatMap(({ status }) => status ?? [])).toEqual([0, 92])
  })

  it('leaves a step without an end that was killed in the middle', async () => {
    await using host = await shTransport(shell)
    const running = runStep(act('touch reached; sleep 60'), contextOf(host))
    await expect.poll(() => existsSync(join(host.folder, 'reached'))).toBe(true)
    for (const group of host.running) process.kill(-group, 'SIGKILL')
    expect(await running).toMatchObject({ kind: 'in-doubt' })
    expect(linesOf(host).map(({ event }) => event)).toEqual(['run-begun', 'step-intended'])
  })

  it('keeps a step back where it cannot be written, but no rollback', async () => {
    await using host = await shTransport(shell)
    const disk = join(host.folder, 'disk')
    mkdirSync(disk)
    await sh('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk])
    try {
      await sh('sh', ['-c', 'dd if=/dev/zero of="$1"/ballast bs=1k count=100 2>/dev/null; :', 'sh', disk])
      const context = contextOf(host, { root: disk })
      const failure = await runStep(act('touch acted'), context)
      expect(failure).toMatchObject({ kind: 'not-journalled', at: 'host' })
      expect(existsSync(join(host.folder, 'acted'))).toBe(false)
      const problem = failure && describeFailure(failure, { host: 'nas', service: 'coder', step: 'act' })
      expect(problem).toMatchObject({ code: 'APPLY.NOT_JOURNALLED', next: [expect.objectContaining({ command: ['resume'] })] })
      expect(problem?.why).toContain('No space left')
      expect(await runStep(act('touch undone'), { ...context, undoing: true })).toBeUndefined()
      expect(existsSync(join(host.folder, 'undone'))).toBe(true)
      // Once there is room, it is whole lines again.
      await sh('rm', [join(disk, 'ballast')])
      appendFileSync(join(disk, 'audit.log'), '{"event":"step-ended","run_')
      expect(await runStep(act('touch acted'), context)).toBeUndefined()
      const whole = readFileSync(join(disk, 'audit.log'), 'utf8').split('\n')
      expect(whole.filter((line) => line.startsWith('{"event":"step-intended"')).map((line) => JSON.parse(line))).toMatchObject([
        { n: 3 },
      ])
    } finally {
      await sh('umount', [disk])
    }
  })

  it.each([
    ['a link', (path: string) => symlinkSync('/nowhere/else', path)],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('is not written through %s', async (_what, make) => {
    await using host = await shTransport(shell)
    make(logOf(host))
    expect(await runStep(act('touch acted'), contextOf(host))).toMatchObject({
      kind: 'not-journalled',
      said: expect.stringContaining('no regular file'),
    })
    expect(existsSync(join(host.folder, 'acted'))).toBe(false)
  })

  it('is put aside when it is too large, one old one is kept', async () => {
    await using host = await shTransport(shell)
    const old = `${'x'.repeat(999)}\n`.repeat(Math.ceil(longestLog / 1000) + 1)
    writeFileSync(`${logOf(host)}.1`, 'older\n')
    writeFileSync(logOf(host), old)
    const context = contextOf(host)
    expect(await runStep(act(':'), context)).toBeUndefined()
    expect(await runStep(act(':'), context)).toBeUndefined()
    expect(readdirSync(host.folder).toSorted()).toEqual(['audit.log', 'audit.log.1'])
    expect(readFileSync(`${logOf(host)}.1`, 'utf8')).toBe(old)
    expect(linesOf(host)).toHaveLength(5)
  })

  it('is not torn by several simultaneous writers', async () => {
    await using host = await shTransport(shell)
    const long = 'ü'.repeat(2000)
    const steps = Array.from({ length: 20 }, (_, n) =>
      runStep(act(':', { label: `${n} ${long}` }), contextOf(host, { owner: long })),
    )
    expect(await Promise.all(steps)).toEqual(steps.map(() => undefined))
    const lines = readFileSync(logOf(host), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
    expect(lines).toHaveLength(60)
    for (const line of lines) expect([JSON.parse(line).run_id, Buffer.byteLength(line) < 1000]).toEqual(['run-1', true])
  })
})

describe('the functions that write the log', () => {
  const audit = {
    log: '/log',
    first: [auditLine('r', { event: 'run-begun', owner: 'op', controller: 'c', version: '1' })],
    intent: auditLine('r', { event: 'step-intended', n: 1, service: 'a', step: 's' }),
    result: auditLine('r', { event: 'step-ended', n: 1 }),
  }

  it.each([true, false])('are clean to shellcheck, whether the step must be written down (%s) or not', async (must) => {
    const body = { label: 'a', functions: [], act: 'printf "%s" "$1"', args: ['x'], timeoutMs: 1, nonce: 'n' }
    const { text } = guardedScript({ ...body, guards: [holds], audit: { ...audit, must } })
    expect(text.join('')).toContain(auditFunctions)
    const args = ['--shell=sh', '--severity=style', '--format=gcc', '-']
    const { stdout } = await execa('shellcheck', args, { input: text.join(''), reject: false })
    expect(stdout).toBe('')
  })
})
