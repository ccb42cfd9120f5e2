import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { askChecks, runStep, type StepContext } from '../../src/apply/run-step.ts'
import { sha256 } from '../../src/lib/digest.ts'
import { definitionUnchanged, portFree, processUnchanged, sameBoot } from '../../src/managers/linux-checks.ts'
import { forgetCopies, keepDates, keepPrevious, restorePrevious } from '../../src/managers/previous-copy.ts'
import { validateUnit } from '../../src/managers/systemd/acts.ts'
import { systemd } from '../../src/managers/systemd/systemd.ts'
import { programFault } from '../../src/managers/systemd/unit-text.ts'
import { Secret, type SecretText } from '../../src/model/secret.ts'
import type { Check, PutStep } from '../../src/model/step.ts'
import { jumpingClock, nonce } from '../apply/step-cases.ts'
import { type GivenService, inputOf } from '../managers/given-input.ts'
import { compileCase, type StepsCase } from '../managers/given-steps.ts'
import { readCases } from '../managers/read-cases.ts'
import { scriptsOf } from '../managers/steps-text.ts'
import { settingsGroup } from '../settings/given-settings.ts'
import { anyCharacter } from '../support/any-character.ts'
import { thorough } from '../support/series.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'
import { startOf } from '../support/start-of.ts'

const run = promisify(execFile)
const has = (tool: string) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0
const shells: readonly (readonly string[])[] = [['dash'], ['busybox', 'sh'], ['bash', '--posix']]

/** What the inventory's schema lets through. */
const { $defs } = JSON.parse(readFileSync(join(import.meta.dirname, '../../schemas/inventory.schema.json'), 'utf8'))
const writable = new RegExp($defs.word.pattern, 'u')

/** Every script that any action can send, once. */
const scripts = [
  ...new Set(
    (['compose', 'systemd', 'launchd'] as const).flatMap((name) =>
      readCases<StepsCase>(`managers/${name}/steps`).flatMap(([, given]) =>
        scriptsOf(compileCase(name, given)).map(([, script]) => script),
      ),
    ),
  ),
  ...new Set(scriptsOf(settingsGroup('sleep-timers')).map(([, script]) => script)),
]

const scriptsAsFunctions = scripts.map((script, index) => `script_${index}() {\n${script}\n}\nscript_${index} "$@"\n`).join('\n')

/** Functions that a script brings along and does not call, and what stands behind an `exit` of the script before it. */
const notReached = 'SC2317,SC2329'

describe('scripts of managers and settings', () => {
  it.each(shells.map((shell) => [shell.join(' '), shell] as const))('are read by %s', async (_, [program = '', ...args]) => {
    const { status, stderr } = spawnSync(program, [...args, '-n'], { input: scriptsAsFunctions, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  it.skipIf(!has('shellcheck'))('have nothing that shellcheck would say', () => {
    const { stdout } = spawnSync('shellcheck', ['-s', 'sh', '-S', 'style', '-e', notReached, '-f', 'gcc', '-'], {
      input: scriptsAsFunctions,
      encoding: 'utf8',
    })
    expect(stdout).toBe('')
  })
})

const named = (some: readonly (readonly string[])[]) => some.map((shell) => [shell.join(' '), shell] as const)

/** Whether a port is free while something listens there, and after that. */
async function takenThenFree(host: ShTransport): Promise<readonly boolean[]> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  const check = portFree(typeof address === 'object' ? (address?.port ?? 0) : 0)
  const taken = await holds(host, check)
  await new Promise((resolve) => server.close(resolve))
  return [taken, await holds(host, check)]
}

/** Whether a process is the same by its number and start, with another start, and with another number. */
async function sameProcess(host: ShTransport): Promise<readonly boolean[]> {
  const start = startOf(process.pid)
  const same = await holds(host, processUnchanged({ pid: process.pid, start }))
  const later = await holds(host, processUnchanged({ pid: process.pid, start: `${start}0` }))
  return [same, later, await holds(host, processUnchanged({ pid: 4_194_300, start }))]
}

it.each(named(shells.slice(1)))('with %s checks hold and do not, and what is kept comes back', async (_, shell) => {
  await using host = await shTransport(shell)
  const definition = join(host.folder, 'x.service')
  writeFileSync(definition, 'old', { mode: 0o640 })
  utimesSync(definition, 1000, 1000)
  expect(await runStep(keepPrevious([definition], sha256('old')), contextOf(host))).toBeUndefined()
  writeFileSync(definition, 'new')
  expect(await holds(host, definitionUnchanged(definition, sha256('old')))).toBe(false)
  expect(await runStep(restorePrevious([definition], sha256('old')), contextOf(host))).toBeUndefined()
  expect(await holds(host, definitionUnchanged(definition, sha256('old')))).toBe(true)
  expect(statSync(definition)).toMatchObject({ mtimeMs: 1_000_000 })
  expect(await sameProcess(host)).toEqual([true, false, false])
  expect(await holds(host, sameBoot('another'))).toBe(false)
  expect(await takenThenFree(host)).toEqual([false, true])
})

describe.each(named(thorough(shells)))('checks and copies with %s', (_, shell) => {
  it('a definition that changed, went or appeared is seen', async () => {
    await using host = await shTransport(shell)
    const file = join(host.folder, 'compose.yaml')
    expect(await holds(host, definitionUnchanged(file, null))).toBe(true)
    expect(await holds(host, definitionUnchanged(file, sha256('one')))).toBe(false)
    writeFileSync(file, 'one')
    expect(await holds(host, definitionUnchanged(file, sha256('one')))).toBe(true)
    expect(await holds(host, definitionUnchanged(file, sha256('two')))).toBe(false)
    expect(await holds(host, definitionUnchanged(file, null))).toBe(false)
  })

  it('a port is taken while a process listens there', async () => {
    await using host = await shTransport(shell)
    expect(await takenThenFree(host)).toEqual([false, true])
  })

  it('a process is the same by its number and its start', async () => {
    await using host = await shTransport(shell)
    expect(await sameProcess(host)).toEqual([true, false, false])
  })

  it('a boot is the same by its id', async () => {
    await using host = await shTransport(shell)
    const id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    expect(await holds(host, sameBoot(id))).toBe(true)
    expect(await holds(host, sameBoot('another'))).toBe(false)
  })

  it('what is kept comes back with its mode and date, and only when it is what was kept', async () => {
    await using host = await shTransport(shell)
    const definition = join(host.folder, 'x.service')
    const key = join(host.folder, 'x.key')
    writeFileSync(definition, 'old', { mode: 0o640 })
    writeFileSync(key, 'old key', { mode: 0o600 })
    utimesSync(key, 1000, 1000)
    expect(await runStep(keepPrevious([definition, key], sha256('other')), contextOf(host))).toMatchObject({ kind: 'guard' })
    expect(existsSync(`${definition}.converge-previous`)).toBe(false)
    expect(await runStep(keepPrevious([definition, key], sha256('old')), contextOf(host))).toBeUndefined()
    writeFileSync(definition, 'new')
    writeFileSync(key, 'new key')
    expect(await runStep(restorePrevious([definition, key], sha256('an earlier one')), contextOf(host))).toBeUndefined()
    expect(readFileSync(definition, 'utf8')).toBe('new')
    expect(await runStep(restorePrevious([definition, key], sha256('old')), contextOf(host))).toBeUndefined()
    expect([definition, key].map((path) => readFileSync(path, 'utf8'))).toEqual(['old', 'old key'])
    expect(statSync(definition).mode & 0o777).toBe(0o640)
    expect(statSync(key)).toMatchObject({ mtimeMs: 1_000_000 })
    expect(existsSync(`${definition}.converge-previous`)).toBe(false)
  })

  it('a rewritten file keeps its date if its content is the same', async () => {
    await using host = await shTransport(shell)
    const key = join(host.folder, 'x.key')
    writeFileSync(`${key}.converge-previous`, 'key')
    utimesSync(`${key}.converge-previous`, 1000, 1000)
    writeFileSync(key, 'another')
    await runStep(keepDates([key]), contextOf(host))
    expect(statSync(key).mtimeMs).toBeGreaterThan(1_000_000)
    writeFileSync(key, 'key')
    await runStep(keepDates([key]), contextOf(host))
    expect(statSync(key).mtimeMs).toBe(1_000_000)
  })

  it('copies and half-written files go, and nothing else does', async () => {
    await using host = await shTransport(shell)
    const folder = join(host.folder, "a folder's *")
    mkdirSync(folder)
    const stay = ['x.key', 'x.key.previous', '.x.key.converge.seven77', '.x.key.converge.a b c d', 'y.key.converge-previous']
    const go = [
      'x.key.converge-previous',
      'x.key.converge-previous.part',
      '.x.key.converge.Ab3dE6',
      'x.service.converge-previous',
    ]
    for (const name of [...stay, ...go]) writeFileSync(join(folder, name), '')
    const step = forgetCopies(join(folder, 'x.service'), join(folder, 'x.key'))
    expect(await runStep(step, contextOf(host))).toBeUndefined()
    expect(readdirSync(folder).toSorted()).toEqual(stay.toSorted())
    expect(await runStep(step, contextOf(host))).toBeUndefined()
  })
})

describe.skipIf(!has('systemd-analyze'))('units, by the word of systemd', () => {
  const unit: GivenService = {
    name: 'flagship',
    kind: 'B',
    manager: 'systemd',
    interpreter: '/usr/bin/env',
    executable: '/opt/kindb/serve',
  }

  it('any text that the inventory lets through makes a valid unit', async () => {
    const word = fc.string({ unit: anyCharacter, maxLength: 20 }).filter((text) => writable.test(text))
    const name = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/)
    const services = fc.record({
      alias: word,
      extraArgs: fc.array(word),
      extraEnv: fc.dictionary(name, word),
      keyDelivery: fc.constantFrom('file', 'inline'),
    })
    await fc.assert(
      fc.asyncProperty(services, word, async (given, key) => {
        const { definition } = systemd.render(inputOf({ ...unit, ...given, user: 'nobody' }, key))
        expect(await verify('flagship.service', opened(definition.content))).toBe('')
      }),
      { numRuns: 40 },
    )
  }, 120_000)

  it.each(["/opt/anna's", '/opt/"x"', '/opt/back\\slash', '/bin/'])(
    'a program that it refuses is refused by us: %s',
    async (interpreter) => {
      const { definition } = systemd.render(inputOf({ ...unit, interpreter, user: 'nobody' }, 'the-key'))
      expect(await verify('flagship.service', opened(definition.content))).toMatch(/special characters|specifies a directory/)
      expect(programFault(interpreter)).toBeDefined()
    },
  )

  it.each<[string, GivenService, string]>([
    ['a missing executable', { interpreter: '/usr/bin/no-such-python' }, 'no-such-python'],
    ['a missing account', { user: 'no-such-account' }, 'no-such-account'],
  ])('%s is reported before anything is replaced', async (_, given, words) => {
    await using host = await shTransport()
    const path = join(host.folder, 'flagship.service')
    writeFileSync(path, 'old')
    const { user = 'nobody', ...rest } = given
    const { definition } = systemd.render(inputOf({ ...unit, ...rest, user }, 'the-key'))
    const failure = await runStep(putUnit(path, definition.content, user ?? ''), contextOf(host))
    expect(failure).toMatchObject({ kind: 'file', reason: 'validate', said: expect.stringContaining(words) })
    expect(readFileSync(path, 'utf8')).toBe('old')
  })

  it('a valid one is written', async () => {
    await using host = await shTransport()
    const path = join(host.folder, 'flagship.service')
    const { definition } = systemd.render(inputOf({ ...unit, user: 'nobody' }, 'the-key'))
    expect(await runStep(putUnit(path, definition.content, 'nobody'), contextOf(host))).toBeUndefined()
    expect(readFileSync(path, 'utf8')).toBe(opened(definition.content))
  })
})

function putUnit(path: string, content: SecretText, account: string): PutStep {
  const validate = validateUnit('flagship.service', account)
  return { do: 'put', label: `write ${path}`, guards: [], path, content, mode: 0o644, folderMode: 0o755, validate }
}

async function holds(host: ShTransport, check: Check): Promise<boolean> {
  const failure = await askChecks('ask', [check], contextOf(host))
  expect(failure === undefined || (failure.kind === 'guard' && failure.said !== '')).toBe(true)
  return failure === undefined
}

function contextOf(transport: ShTransport): StepContext {
  return { transport, clock: jumpingClock(), nonce }
}

function opened(text: SecretText): string {
  return text.map((piece) => (piece instanceof Secret ? piece.reveal() : piece)).join('')
}

/** What systemd has to say against a unit; nothing: it is valid. */
async function verify(name: string, content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'converge-unit-'))
  try {
    await writeFile(join(folder, name), content)
    await run('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', join(folder, name)])
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await rm(folder, { recursive: true })
  }
}
