import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { actNowStep, armStep } from '../../src/apply/rollback-timer.ts'
import { runStep } from '../../src/apply/run-step.ts'
import { nonce } from '../apply/step-cases.ts'
import { rollbackTimerScene } from '../support/rollback-timer-scene.ts'
import { thorough } from '../support/series.ts'

const shells: readonly (readonly string[])[] = [['dash'], ['busybox', 'sh'], ['bash', '--posix'], ['bash']]
const patient = { interval: 200 }

/** What it says of logind where that ends what a login leaves. */
const endsAll = '*KillUserProcesses*) echo KillUserProcesses=yes ;;\n*KillExcludeUsers*) echo ann ;;\n*Name*) echo root ;;'
const slowly = 'echo "begun $2" >>"$1"; sleep 3; echo "again $2" >>"$1"'

describe.concurrent('the process of a timer', { timeout: 180_000 }, () => {
  it.for(shells.slice(1).map((shell) => [shell.join(' '), shell] as const))(
    'under %s is left outside of the login, and acts after another one is done',
    async ([, shell], { expect }) => {
      await using host = await rollbackTimerScene(shell)
      host.login(endsAll)
      const slow = { ...host.undo[1], guards: [], script: slowly }
      for (const id of ['t1', 't2']) await host.arm(expect, { id, patienceS: 12, undo: [slow] })
      expect(readFileSync(host.at('left'), 'utf8')).toMatch(/^--system --quiet --scope \S+ \S+\/t1\.armed\/timer\n/)
      await expect.poll(host.states, patient).toEqual(['t1.undone', 't2.undone'])
      expect(host.events()).toBe("begun it's\nagain it's\n".repeat(2))
    },
  )
})

describe.concurrent.for(thorough(shells).map((shell) => [shell.join(' '), shell] as const))(
  'the process of a timer under %s',
  { timeout: 180_000 },
  ([, shell]) => {
    it.for([
      ['does not end what a login leaves', '*KillUserProcesses*) echo KillUserProcesses=no ;;', false],
      [
        'spares its account',
        '*KillUserProcesses*) echo KillUserProcesses=yes ;;\n*KillExcludeUsers*) echo ann root ;;\n*Name*) echo root ;;',
        false,
      ],
      ['ends what a login leaves', endsAll, true],
      ['does not report it', '*) exit 1 ;;', true],
    ] as const)('is left outside of the login only where that is needed: logind %s', async ([, answers, outside], { expect }) => {
      await using host = await rollbackTimerScene(shell)
      host.login(answers)
      // Longer than the replacement takes on a full machine.
      await host.arm(expect, { patienceS: 12 })
      expect(existsSync(host.at('left'))).toBe(outside)
      if (outside) expect(readFileSync(host.at('left'), 'utf8')).toMatch(/^--system --quiet --scope \S+ \S+\/t1\.armed\/timer\n$/)
      await host.replace(expect)
      await expect.poll(host.states, patient).toEqual(['t1.undone'])
    })

    it('is not left where it would end with the login, and what to do is said', async ({ expect }) => {
      await using host = await rollbackTimerScene(shell)
      host.login('*KillUserProcesses*) echo KillUserProcesses=yes ;;')
      const step = host.under(armStep(host.order, nonce))
      const powerless = step.do === 'run' ? { ...step, script: step.script.replace('[ "$(id -u)" = 0 ]', 'false') } : step
      const failure = await runStep(powerless, host.context)
      expect(failure).toMatchObject({
        kind: 'exit',
        said: expect.stringMatching(/KillUserProcesses=yes.*loginctl enable-linger/),
      })
      expect(existsSync(host.at('deadman'))).toBe(false)
    })

    it('is waited for during a slow rollback as long as it lives, and continued if it does not', async ({ expect }) => {
      await using host = await rollbackTimerScene(shell)
      // Half done until the test says otherwise.
      const script = 'echo "begun $2" >>"$1"; until [ -e "$1.go" ]; do sleep 0.2; done; echo "again $2" >>"$1"'
      await host.arm(expect, { patienceS: 2, undo: [{ ...host.undo[1], guards: [], script }] })
      const begun = () => expect.poll(host.events, patient)
      const actNow = () => runStep(host.under(actNowStep(host.place, 'coder')), host.context)
      await begun().toBe("begun it's\n")
      host.kill('SIGSTOP')
      expect(await actNow()).toBeUndefined()
      expect(host.states()).toEqual(['t1.acting'])
      // While all of them stand still: one after the other, the parent would see its child die and say so.
      host.kill()
      await expect.poll(host.isRunning, patient).toBe(false)
      writeFileSync(host.at('events'), '')
      writeFileSync(host.at('events.go'), '')
      expect(await actNow()).toBeUndefined()
      await expect.poll(host.states, patient).toEqual(['t1.undone'])
      expect(host.events()).toBe("begun it's\nagain it's\n")
    })

    it('and that of another run act one after the other, and neither counts as a sign of life of the other', async ({
      expect,
    }) => {
      await using host = await rollbackTimerScene(shell)
      mkdirSync(host.at('lock'))
      writeFileSync(host.at('lock/owner'), '{"token":"dead"}\n')
      writeFileSync(host.at('lock/beat'), '1000000000\n')
      const slow = { ...host.undo[1], guards: [], script: slowly }
      for (const id of ['t1', 't2']) await host.arm(expect, { id, patienceS: 20, undo: [slow] })
      await expect.poll(host.states, patient).toEqual(['t1.undone', 't2.undone'])
      expect(host.events()).toBe("begun it's\nagain it's\n".repeat(2))
      const [first, second] = host.states().map((name) => statSync(host.at(`deadman/${name}/alive`)).mtimeMs)
      expect(Math.abs(Number(first) - Number(second))).toBeLessThan(18_000)
      expect(existsSync(host.at('lock'))).toBe(false)
    })
  },
)
