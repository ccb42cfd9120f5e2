import { readFile, stat } from 'node:fs/promises'
import type { Context } from '../context/context.ts'
import { version } from '../context/version.ts'
import { ConvergeError, InternalError } from '../errors/converge-error.ts'
import { digestOf } from '../lib/digest.ts'
import { isObject } from '../lib/json-object.ts'
import { mapStrings } from '../lib/map-strings.ts'
import { converge } from '../lib/next-command.ts'
import { stableJson } from '../lib/stable-json.ts'
import type { NextStep } from '../model/next-step.ts'
import type { Plan, SavedPlan } from '../model/plan.ts'
import type { Consent, Play } from '../model/playbook.ts'
import type { SavedWith } from '../model/saved-plan.ts'
import { comparePlans } from '../plan/compare-plans.ts'
import { firstFault } from './first-fault.ts'

/** A saved plan and where it lies. */
export interface PlanFile {
  readonly path: string
  readonly plan: SavedPlan
}

/** No plan is as large. */
const mostBytes = 256 * 1024 * 1024
/** So many differences are told one by one. */
const mostLines = 20

/** The plan as it is written into a file: canonical JSON without secrets, which tells when anything in it was changed. */
export function savedPlanText(plan: Plan, made: Omit<SavedWith, 'id' | 'tool'>, { redactor }: Pick<Context, 'redactor'>): string {
  const unnamed = mapStrings({ ...plan, saved: { tool: version, ...made } }, (text) => redactor.redact(text))
  if (!isObject(unnamed) || !isObject(unnamed['saved'])) throw new InternalError('a plan is no object any more')
  return `${stableJson({ ...unnamed, saved: { ...unnamed['saved'], id: digestOf(unnamed) } }, 2)}\n`
}

/**
 * The saved plan at a path; undefined where there is something else, which a playbook may be.
 *
 * @throws ConvergeError `PLAN.INVALID`, `PLAN.OTHER_VERSION`, `PLAN.DAMAGED`
 */
export async function readSavedPlan(path: string): Promise<PlanFile | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true || found.size > mostBytes) return undefined
  const text = await readFile(path, 'utf8').catch(() => '')
  if (!/^\uFEFF?\s*\{/.test(text)) return undefined
  const document = parse(text, path)
  const { saved } = document
  if (document['schema'] !== 'converge/plan/v1' || !isObject(saved))
    throw invalid(path, 'it was not written by `converge plan --out`')
  if (saved['tool'] !== version) throw otherVersion(path, String(saved['tool']))
  const { validatePlan } = await import('../generated/document-validators.js')
  if (!validatePlan(document)) throw invalid(path, firstFault(validatePlan.errors))
  const { id, ...unnamed } = saved
  if (id !== digestOf({ ...document, saved: unnamed })) throw damaged(path)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its schema says so, and a test holds schema and type together
  return { path, plan: document as unknown as SavedPlan }
}

/** The leave that was saved. What it was given for may be gone by now, which is no mistake as it would be on a command line. */
export function savedConsents({ path, plan }: PlanFile): readonly Consent[] {
  return plan.saved.consents.map((consent) => ({ ...consent, origin: { file: path, line: 1, column: 1 } }))
}

/** SHA-256 over what the plays of a playbook say, wherever in the file they say it. */
export function playsDigest(plays: readonly Play[]): string {
  return digestOf(plays.map((play) => ({ ...play, consents: play.consents.map(({ origin: _origin, ...consent }) => consent) })))
}

/** @throws ConvergeError `PLAN.OTHER_INPUT` where the plan was made from another inventory or playbook */
export function mustBeFrom({ path, plan }: PlanFile, inventoryDigest: string, plays: string | undefined): void {
  const { saved, inventory } = plan
  if (inventory.digest !== inventoryDigest) throw otherInput({ path, plan }, `the inventory ${inventory.path}`)
  if (saved.playbook?.digest !== plays) throw otherInput({ path, plan }, `the playbook ${saved.playbook?.path ?? ''}`)
}

/** @throws ConvergeError `PLAN.STALE` where a plan made just now would do more than the saved one, or something else */
export function mustStillHold({ path, plan }: PlanFile, now: Plan): void {
  const lines = comparePlans(plan, now)
  if (lines.length === 0) return
  const told = lines.slice(0, mostLines)
  const rest = lines.length > mostLines ? [`and ${lines.length - mostLines} more`] : []
  throw new ConvergeError('PLAN.STALE', {
    summary: 'The saved plan no longer holds. Nothing was done.',
    why: [`${path} was made at ${plan.created_at}. What would be done now is more, or something else:`, ...told, ...rest].join(
      '\n',
    ),
    next: [makeAnew(path, plan)],
  })
}

function parse(text: string, path: string): Record<string, unknown> {
  try {
    const document: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (isObject(document)) return document
  } catch (error) {
    throw invalid(path, `it cannot be read as JSON (${error instanceof Error ? error.message : String(error)})`)
  }
  throw invalid(path, 'it is no JSON object')
}

function invalid(path: string, because: string): ConvergeError {
  return new ConvergeError('PLAN.INVALID', {
    summary: 'The file is no saved plan.',
    why: `${path}: ${because}. Nothing was done.`,
    next: [makeAnew(path)],
  })
}

function damaged(path: string): ConvergeError {
  return new ConvergeError('PLAN.DAMAGED', {
    summary: 'The saved plan was changed after it was written. Nothing was done.',
    why: `${path}: its content and its digest do not belong together.`,
    next: [makeAnew(path)],
  })
}

function otherVersion(path: string, tool: string): ConvergeError {
  return new ConvergeError('PLAN.OTHER_VERSION', {
    summary: 'The plan was made by another version of converge. Nothing was done.',
    why: `${path} was made by converge ${tool}, and this is converge ${version}: its rules and its steps may be others.`,
    next: [makeAnew(path), `Or apply it with converge ${tool}.`],
  })
}

function otherInput({ path, plan }: PlanFile, what: string): ConvergeError {
  return new ConvergeError('PLAN.OTHER_INPUT', {
    summary: 'The plan was made from something else than what is there now. Nothing was done.',
    why: `${path}: ${what} has changed since.`,
    next: [makeAnew(path, plan)],
  })
}

function makeAnew(path: string, plan?: SavedPlan): NextStep {
  const playbook = plan?.saved.playbook?.path
  const words = ['plan', ...(playbook === undefined ? [] : [playbook]), '--out', path]
  return converge(words, { say: 'Make a new plan and look at it:' })
}
