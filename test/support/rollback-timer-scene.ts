import { chmodSync, existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExpectStatic } from 'vitest'
import { announcing, armStep } from '../../src/apply/rollback-timer.ts'
import { runStep, type StepContext } from '../../src/apply/run-step.ts'
import { definitionUnchanged } from '../../src/managers/linux-checks.ts'
import { keepPrevious, restorePrevious } from '../../src/managers/previous-copy.ts'
import type { RunStep, Step } from '../../src/model/step.ts'
import { digestOfText } from '../../src/simulate/digest.ts'
import { systemClock } from '../../src/time/clock.ts'
import { nonce } from '../apply/step-cases.ts'
import { shTransport } from './sh-transport.ts'

export const old = '# the old one, with a key: s3cr3t\n'
const digest = digestOfText([old])

/** A host with a definition and a key, of which the new ones are written, and a server that records its restarts. */
export async function rollbackTimerScene(shell: readonly string[], disk?: string) {
  const transport = await shTransport(shell)
  const home = disk ?? transport.folder
  const at = (name: string) => join(home, name)
  const context: StepContext = { transport, clock: systemClock, nonce }
  const written = (name: string, text: string, mode: number) => {
    writeFileSync(at(name), text)
    chmodSync(at(name), mode)
    utimesSync(at(name), 1_700_000_000, 1_700_000_000)
  }
  written('definition', old, 0o640)
  written('key', 'old-key\n', 0o600)
  writeFileSync(at('events'), '')
  // Whatever /bin/sh is here, the timer runs under the shell that is looked at.
  const own = join(transport.folder, 'sh')
  writeFileSync(own, `#!/bin/sh\nexec ${shell.join(' ')} "$@"\n`, { mode: 0o755 })
  const logind: [string, string][] = []
  /** From now on it looks as if logind had started the login, with these answers of loginctl; what is left with systemd-run records so. */
  const login = (answers: string, account = 'user-0.slice/session-3.scope') => {
    writeFileSync(at('cgroup'), `0::/user.slice/${account}\n`)
    writeFileSync(at('loginctl'), `#!/bin/sh\ncase "$*" in\n${answers}\nesac\n`, { mode: 0o755 })
    writeFileSync(at('systemd-run'), `#!/bin/sh\necho "$*" >>"${at('left')}"\nshift 3\nexec "$@"\n`, { mode: 0o755 })
    logind.push(['/proc/self/cgroup', at('cgroup')], ['loginctl show', `${at('loginctl')} show`])
    logind.push(['systemd-run', at('systemd-run')])
  }
  const under = (step: Step): Step => {
    if (step.do !== 'run') return step
    const [script = '', ...args] = [step.script, ...step.args].map((one) =>
      logind.reduce((text, [theirs, ours]) => text.replaceAll(theirs, ours), one.replaceAll('/bin/sh', own)),
    )
    return { ...step, script, args }
  }
  const restart: RunStep = {
    do: 'run',
    label: 'run it as before',
    server: true,
    guards: [definitionUnchanged(at('definition'), digest)],
    script: 'echo "again $2" >>"$1"',
    args: [at('events'), "it's"],
    timeoutMs: 20_000,
  }
  const undo = [restorePrevious([at('definition'), at('key')], digest), restart] as const
  const place = { root: home, id: 't1' }
  const put = (name: string, text: string, mode: number): Step => {
    return { do: 'put', label: `write ${name}`, guards: [], path: at(name), content: [text], mode, folderMode: 0o755 }
  }
  const steps = [put('key', 'new', 0o644), put('definition', 'new', 0o640)]
  const order = { ...place, steps, undo, service: 'coder', runId: 'run-1', owner: 'op', controller: 'laptop' }
  const arm = async (expect: ExpectStatic, more: object = {}) => {
    expect(await runStep(under(armStep({ ...order, ...more }, nonce)), context)).toBeUndefined()
  }
  /** `count`: of the files, the key first. */
  const replace = async (expect: ExpectStatic, count = 2) => {
    expect(await runStep(keepPrevious([at('definition'), at('key')], digest), context)).toBeUndefined()
    const announced = existsSync(at('deadman/t1.armed')) ? announcing(steps, place) : steps
    for (const step of announced.slice(0, count)) expect(await runStep(step, context)).toBeUndefined()
  }
  /** From now on it waits no longer than this: what was done until here may have taken any time. */
  const hurry = (seconds: number) => writeFileSync(at('deadman/t1.armed/patience'), `${seconds}\n`)
  const states = () => (existsSync(at('deadman')) ? readdirSync(at('deadman')) : [])
  const events = () => readFileSync(at('events'), 'utf8')
  const expectBack = (expect: ExpectStatic) => {
    expect(readFileSync(at('definition'), 'utf8')).toBe(old)
    expect(readFileSync(at('key'), 'utf8')).toBe('old-key\n')
    expect([statSync(at('definition')).mode & 0o777, statSync(at('key')).mode & 0o777]).toEqual([0o640, 0o600])
    expect(statSync(at('definition')).mtimeMs).toBe(1_700_000_000_000)
    expect(events()).toBe("again it's\n")
  }
  const processes = () => {
    const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    return all.filter((pid) => argumentsOf(pid).includes(join(home, 'deadman'))).map(Number)
  }
  const isRunning = () => processes().length > 0
  const kill = (signal: NodeJS.Signals = 'SIGKILL') => {
    for (const pid of processes()) {
      try {
        process.kill(pid, signal)
      } catch {
        // It has ended just now.
      }
    }
  }
  const dispose = async () => {
    kill()
    await transport[Symbol.asyncDispose]()
  }
  return {
    transport,
    at,
    context,
    under,
    place,
    undo,
    order,
    login,
    arm,
    replace,
    hurry,
    states,
    events,
    expectBack,
    isRunning,
    kill,
    [Symbol.asyncDispose]: dispose,
  }
}

/** Empty if it has ended. */
function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
