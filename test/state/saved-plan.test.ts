import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, asyncProperty, constantFrom } from 'fast-check'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { givenOptions } from '../../src/cli/read-given.ts'
import type { ConvergeError } from '../../src/errors/converge-error.ts'
import { mapStrings } from '../../src/lib/map-strings.ts'
import { createRedactor } from '../../src/lib/redactor.ts'
import { stableJson } from '../../src/lib/stable-json.ts'
import { visibleText } from '../../src/lib/visible-text.ts'
import type { Plan } from '../../src/model/plan.ts'
import { Secret } from '../../src/model/secret.ts'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { mustStillHold, readSavedPlan, savedPlanText } from '../../src/state/saved-plan.ts'
import { readProjectFile } from '../architecture/source-file.ts'
import { planInputOf } from '../support/scenario.ts'

const plan = planFleet(planInputOf(parse(readProjectFile('test/fixtures/plan/kind-a-changed.yaml'))))
/** With another command in one of its steps. */
const other: Plan = JSON.parse(JSON.stringify(plan).replaceAll(' up -d ', ' down -d '))
const made = { hosts: ['nas'], services: ['c*'], consents: [{ code: 'WARM.RESTART', service: '*', reason: 'a test' }] }

describe('a saved plan', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'saved-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const redactor = createRedactor((secret: Secret) => secret.reveal())
  let text: string
  beforeAll(async () => {
    text = await savedPlanText(plan, made, { redactor })
  })
  const read = async (content: string) => {
    const path = join(folder, 'plan.json')
    await writeFile(path, content)
    return readSavedPlan(path)
  }
  const changed = async (change: (document: Shape) => void) => {
    const document = JSON.parse(text)
    change(document)
    return read(`${stableJson(document, 2)}\n`)
  }

  it('is read as it was written', async () => {
    expect((await read(text))?.plan).toMatchObject({ ...plan, saved: made })
  })

  it('contains what next commands are about; the command line says how hosts are reached', async () => {
    const path = join(folder, 'plan.json')
    await writeFile(path, text)
    const ofPlan = { savedPlan: path, inventory: plan.inventory.path, limit: 'nas', services: ['c*'] }
    expect(await givenOptions({ sshConfig: '/c' }, path)).toEqual({ ...ofPlan, sshConfig: '/c' })
    expect(await givenOptions({ inventory: 'other' }, path)).toEqual({ ...ofPlan, inventory: 'other' })
    await writeFile(path, text.slice(0, 500))
    expect(await givenOptions({ sshConfig: '/c' }, path)).toEqual({ sshConfig: '/c' })
  })

  it('is written in one way only', async () => expect(await savedPlanText(plan, made, { redactor })).toBe(text))

  it.each([
    ['says something twice', (whole: string) => whole.replace('\n  "hosts": [', '\n  "hosts": [],\n  "hosts": [')],
    ['has other spaces', (whole: string) => JSON.stringify(JSON.parse(whole))],
    ['has other line ends', (whole: string) => whole.replaceAll('\n', '\r\n')],
    ['has a byte order mark', (whole: string) => `\uFEFF${whole}`],
    ['lacks its last line end', (whole: string) => whole.trimEnd()],
    [
      'has another order',
      (whole: string) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(whole)).toReversed()), null, 2),
    ],
  ])('is refused where it %s', async (_, edit) => {
    expect(edit(text)).not.toBe(text)
    await expect(read(edit(text))).rejects.toMatchObject({ code: 'PLAN.DAMAGED' })
  })

  it('acts on no terminal, and is read as it was', async () => {
    const reason = 'a\u202eb\u200b\u2060\u2066\u009b\ufeff'
    const shown = await savedPlanText(plan, { ...made, consents: [{ code: 'WARM.RESTART', service: '*', reason }] }, { redactor })
    expect(visibleText(shown)).toBe(shown)
    expect((await read(shown))?.plan.saved.consents[0]?.reason).toBe(reason)
  })

  it('is not larger than can be read again', async () => {
    const bytes = Buffer.byteLength(text)
    expect(await savedPlanText(plan, made, { redactor }, bytes)).toBe(text)
    await expect(savedPlanText(plan, made, { redactor }, bytes - 1)).rejects.toMatchObject({ code: 'PLAN.TOO_LARGE' })
    const path = join(folder, 'plan.json')
    await writeFile(path, text)
    await truncate(path, 256 * 1024 ** 2 + 1)
    await expect(readSavedPlan(path)).rejects.toMatchObject({ code: 'PLAN.TOO_LARGE' })
    await writeFile(path, '- hosts: all\n')
    await truncate(path, 256 * 1024 ** 2 + 1)
    expect(await readSavedPlan(path)).toBeUndefined()
  })

  /** Words of its commands, reasons and paths, of which any may be a key. */
  const words = [...new Set(JSON.stringify(plan.hosts).match(/[A-Za-z][\w./-]{3,40}/g))]

  it('holds no key, whatever word it is, and holds for the same plan and no other; or is not saved', async () => {
    let saved = 0
    await assert(
      asyncProperty(constantFrom(...words), async (word) => {
        const knows = { redactor: createRedactor((secret: Secret) => secret.reveal()) }
        knows.redactor.learn(new Secret(word, 'a test'))
        const content = await savedPlanText(plan, made, knows).catch((error: ConvergeError) => error.code)
        if (content === 'PLAN.KEY_IS_A_WORD') return
        saved++
        mapStrings(JSON.parse(content), (one) => {
          expect(one).not.toContain(word)
          return one
        })
        const file = await read(content)
        if (file === undefined) throw new Error('it is not read')
        expect(() => mustStillHold(file, plan, knows)).not.toThrow()
        expect(() => mustStillHold(file, other, knows)).toThrow('no longer holds')
      }),
      { numRuns: 200 },
    )
    expect(saved).toBeGreaterThan(50)
  })

  it.each([
    ['a list of plays', '- hosts: all\n'],
    ['an empty file', ''],
  ])('is not %s', async (_, content) => expect(await read(content)).toBeUndefined())

  it('is neither a missing file nor a folder', async () => {
    expect(await readSavedPlan(join(folder, 'nothing'))).toBeUndefined()
    expect(await readSavedPlan(folder)).toBeUndefined()
  })

  it.each([
    ['cut off', () => text.slice(0, 500)],
    ['printed by plan --json', () => JSON.stringify(plan)],
    ['another document', () => '{"schema":"converge/report/v1"}'],
  ])('is refused where it is %s', async (_, content) => expect(read(content())).rejects.toMatchObject({ code: 'PLAN.INVALID' }))

  it.each([
    ['made by another version', 'PLAN.OTHER_VERSION', (document: Shape) => Object.assign(document.saved, { tool: '0.0.9' })],
    ['edited', 'PLAN.DAMAGED', (document: Shape) => Object.assign(document.saved, { hosts: ['box'] })],
    ['given more leave', 'PLAN.DAMAGED', (document: Shape) => document.saved.consents.push(made.consents[0])],
    ['edited in an action', 'PLAN.DAMAGED', (document: Shape) => Object.assign(document.hosts[0] ?? {}, { actions: [] })],
    ['not as its schema says', 'PLAN.INVALID', (document: Shape) => Object.assign(document, { more: 1 })],
  ])('is refused where it was %s', async (_, code, change) => expect(changed(change)).rejects.toMatchObject({ code }))
})

interface Shape {
  readonly hosts: readonly object[]
  readonly saved: { readonly consents: unknown[] }
}
