import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { givenOptions } from '../../src/cli/read-given.ts'
import { createRedactor } from '../../src/lib/redactor.ts'
import type { Plan } from '../../src/model/plan.ts'
import { Secret } from '../../src/model/secret.ts'
import { readSavedPlan, savedPlanText } from '../../src/state/saved-plan.ts'

const golden = join(import.meta.dirname, '../fixtures/plan/kind-a-changed.plan.json')
const plan: Plan = JSON.parse(readFileSync(golden, 'utf8'))
const made = { hosts: ['nas'], services: ['c*'], consents: [{ code: 'WARM.RESTART', service: '*', reason: 'a test' }] }

describe('a saved plan', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'saved-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const redactor = createRedactor((secret: Secret) => secret.reveal())
  const text = savedPlanText(plan, made, { redactor })
  const read = async (content: string) => {
    const path = join(folder, 'plan.json')
    await writeFile(path, content)
    return readSavedPlan(path)
  }
  const changed = async (change: (document: Shape) => void) => {
    const document = JSON.parse(text)
    change(document)
    return read(JSON.stringify(document))
  }

  it('is read as it was written', async () => {
    expect((await read(text))?.plan).toMatchObject({ ...plan, saved: made })
  })

  it('says what commands that are told next are about, and the command line how hosts are reached', async () => {
    const path = join(folder, 'plan.json')
    await writeFile(path, text)
    const ofPlan = { savedPlan: path, inventory: plan.inventory.path, limit: 'nas', services: ['c*'] }
    expect(await givenOptions({ sshConfig: '/c' }, path)).toEqual({ ...ofPlan, sshConfig: '/c' })
    expect(await givenOptions({ inventory: 'other' }, path)).toEqual({ ...ofPlan, inventory: 'other' })
    await writeFile(path, text.slice(0, 500))
    expect(await givenOptions({ sshConfig: '/c' }, path)).toEqual({ sshConfig: '/c' })
  })

  it('may be written in another way, as long as it says the same', async () => {
    expect((await read(JSON.stringify(JSON.parse(text))))?.plan.saved).toMatchObject(made)
  })

  it('is written in one way only', () => expect(savedPlanText(plan, made, { redactor })).toBe(text))

  it('holds no secret', () => {
    const knows = createRedactor((secret: Secret) => secret.reveal())
    knows.learn(new Secret('definition', 'a test'))
    expect(savedPlanText(plan, made, { redactor: knows })).not.toContain('"field": "definition')
  })

  it.each([
    ['a list of plays', '- hosts: all\n'],
    ['an empty file', ''],
  ])('is not %s', async (_, content) => expect(await read(content)).toBeUndefined())

  it('is not what is not there, and no folder', async () => {
    expect(await readSavedPlan(join(folder, 'nothing'))).toBeUndefined()
    expect(await readSavedPlan(folder)).toBeUndefined()
  })

  it.each([
    ['cut off', text.slice(0, 500), 'PLAN.INVALID'],
    ['printed by plan --json', JSON.stringify(plan), 'PLAN.INVALID'],
    ['another document', '{"schema":"converge/report/v1"}', 'PLAN.INVALID'],
  ])('is refused where it is %s', async (_, content, code) => expect(read(content)).rejects.toMatchObject({ code }))

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
