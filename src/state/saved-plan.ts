import { open, readFile, stat } from 'node:fs/promises'
import type { Context } from '../context/context.ts'
import { version } from '../context/version.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { digestOf } from '../lib/digest.ts'
import { isObject } from '../lib/json-object.ts'
import { mapStrings } from '../lib/map-strings.ts'
import { converge } from '../lib/next-command.ts'
import { stableJson } from '../lib/stable-json.ts'
import { visibleInJson } from '../lib/visible-text.ts'
import type { NextStep } from '../model/next-step.ts'
import type { Plan, SavedPlan } from '../model/plan.ts'
import type { Approval, Play } from '../model/playbook.ts'
import type { SavedWith } from '../model/saved-plan.ts'
import { comparePlans } from '../plan/compare-plans.ts'
import { firstFault } from './first-fault.ts'

/** A saved plan and its path. */
export interface PlanFile {
  readonly path: string
  readonly plan: SavedPlan
}

/** Larger than any plan. */
const maxBytes = 256 * 1024 * 1024
/** How many differences are listed. */
const maxLines = 20

/**
 * The plan as written into a file: canonical JSON without secrets, with a digest that detects any change.
 *
 * @param most maximum size in bytes
 * @throws ConvergeError `PLAN.TOO_LARGE`, `PLAN.KEY_IS_A_WORD`
 */
export async function savedPlanText(
  plan: Plan,
  made: Omit<SavedWith, 'id' | 'tool'>,
  { redactor }: Pick<Context, 'redactor'>,
  most = maxBytes,
): Promise<string> {
  const whole = { ...plan, saved: { tool: version, ...made } }
  const unnamed = redacted(whole, redactor)
  const document = { ...unnamed, saved: { ...unnamed.saved, id: digestOf(unnamed) } }
  const { validatePlan } = await import('../generated/document-validators.js')
  if (digestOf(neededOf(unnamed)) !== digestOf(neededOf(whole)) || !validatePlan(document)) throw keyIsAWord()
  const text = canonical(document)
  if (Buffer.byteLength(text) > most) throw tooLarge('It would have', most)
  return text
}

/** The canonical text of a plan; JSON with a duplicate member has another. */
function canonical(document: object): string {
  return `${visibleInJson(stableJson(document, 2))}\n`
}

/** Members that must be saved exactly, because they are looked up later. From all others a key may be redacted. */
function neededOf({ schema, inventory, hosts, saved }: Omit<Plan, 'saved'> & { readonly saved: Omit<SavedWith, 'id'> }): unknown {
  const consents = saved.consents.map(({ reason: _reason, ...approval }) => approval)
  return [schema, inventory, hosts.map(({ host }) => host), { ...saved, consents }]
}

function redacted<T extends object>(value: T, redactor: Context['redactor']): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts differ
  return mapStrings(value, (text) => redactor.redact(text)) as T
}

/**
 * The saved plan at a path; undefined if the file is something else, for example a playbook.
 *
 * @throws ConvergeError `PLAN.INVALID`, `PLAN.OTHER_VERSION`, `PLAN.DAMAGED`, `PLAN.TOO_LARGE`
 */
export async function readSavedPlan(path: string): Promise<PlanFile | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true) return undefined
  const isTooLarge = found.size > maxBytes
  const text = await (isTooLarge ? readBeginning(path) : readFile(path, 'utf8')).catch(() => '')
  if (!/^\uFEFF?\s*\{/.test(text)) return undefined
  if (isTooLarge) throw tooLarge(`${path} has`, maxBytes)
  const document = parse(text, path)
  const { saved } = document
  if (document['schema'] !== 'converge/plan/v1' || !isObject(saved))
    throw invalid(path, 'it was not written by `converge plan --out`')
  if (saved['tool'] !== version) throw otherVersion(path, String(saved['tool']))
  const { validatePlan } = await import('../generated/document-validators.js')
  if (!validatePlan(document)) throw invalid(path, firstFault(validatePlan.errors))
  const { id, ...unnamed } = saved
  if (id !== digestOf({ ...document, saved: unnamed }) || text !== canonical(document)) throw damaged(path)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its schema says so, and a test holds schema and type together
  return { path, plan: document as unknown as SavedPlan }
}

/** The saved approvals. Unlike on the command line, an approval whose refusal is gone is no error. */
export function savedApprovals({ path, plan }: PlanFile): readonly Approval[] {
  return plan.saved.consents.map((approval) => ({ ...approval, origin: { file: path, line: 1, column: 1 } }))
}

/** SHA-256 of the plays of a playbook, independent of their position in the file. */
export function playsDigest(plays: readonly Play[]): string {
  return digestOf(
    plays.map(({ limitsFailures: _limits, ...play }) => ({
      ...play,
      approvals: play.approvals.map(({ origin: _origin, ...approval }) => approval),
    })),
  )
}

/** @throws ConvergeError `PLAN.OTHER_INPUT` if the plan was made from another inventory or playbook */
export function mustBeFrom({ path, plan }: PlanFile, inventoryDigest: string, plays: string | undefined): void {
  const { saved, inventory } = plan
  if (inventory.digest !== inventoryDigest) throw otherInput({ path, plan }, `the inventory ${inventory.path}`)
  if (saved.playbook?.digest !== plays) throw otherInput({ path, plan }, `the playbook ${saved.playbook?.path ?? ''}`)
}

/**
 * Compares the redacted plans, because a saved plan contains no secrets.
 *
 * @throws ConvergeError `PLAN.STALE` if a new plan would do more than the saved one, or something else
 */
export function mustStillHold({ path, plan }: PlanFile, now: Plan, { redactor }: Pick<Context, 'redactor'>): void {
  const lines = comparePlans(plan, redacted(now, redactor))
  if (lines.length === 0) return
  const shown = lines.slice(0, maxLines)
  const rest = lines.length > maxLines ? [`and ${lines.length - maxLines} more`] : []
  throw new ConvergeError('PLAN.STALE', {
    summary: 'The saved plan no longer holds. Nothing was done.',
    why: [`${path} was made at ${plan.created_at}. A new plan does more, or something else:`, ...shown, ...rest].join('\n'),
    next: [makeAnew(path, plan)],
  })
}

async function readBeginning(path: string): Promise<string> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(64))
  return buffer.toString('utf8', 0, bytesRead)
}

function parse(text: string, path: string): Record<string, unknown> {
  try {
    const document: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (isObject(document)) return document
  } catch (error) {
    throw invalid(path, `it is not JSON (${error instanceof Error ? error.message : String(error)})`)
  }
  throw invalid(path, 'it is not a JSON object')
}

function invalid(path: string, because: string): ConvergeError {
  return new ConvergeError('PLAN.INVALID', {
    summary: 'The file is not a saved plan.',
    why: `${path}: ${because}. Nothing was done.`,
    next: [makeAnew(path)],
  })
}

function damaged(path: string): ConvergeError {
  return new ConvergeError('PLAN.DAMAGED', {
    summary: 'The saved plan was changed after it was written. Nothing was done.',
    why: `${path}: its content does not match its digest.`,
    next: [makeAnew(path)],
  })
}

/** @param what the subject of the sentence */
function tooLarge(what: string, most: number): ConvergeError {
  return new ConvergeError('PLAN.TOO_LARGE', {
    summary: 'The plan is too large for a file.',
    why: `${what} more than ${most} bytes. Nothing was done.`,
    next: ['Save plans of fewer hosts or services with `--limit` or `--service`.'],
  })
}

function keyIsAWord(): ConvergeError {
  return new ConvergeError('PLAN.KEY_IS_A_WORD', {
    summary: 'The plan cannot be saved: an API key is a word that the plan needs.',
    why: 'Keys are removed from saved plans, and without this one the plan is incomplete: it equals a name, part of a path or another word of the plan.',
    next: ['Give the service a random key, for example from `openssl rand -hex 32`.'],
  })
}

function otherVersion(path: string, tool: string): ConvergeError {
  return new ConvergeError('PLAN.OTHER_VERSION', {
    summary: 'The plan was made by another version of converge. Nothing was done.',
    why: `${path} was made by converge ${tool}, and this is converge ${version}, whose rules and steps may differ.`,
    next: [makeAnew(path), `Or apply it with converge ${tool}.`],
  })
}

function otherInput({ path, plan }: PlanFile, what: string): ConvergeError {
  return new ConvergeError('PLAN.OTHER_INPUT', {
    summary: 'The inventory or playbook has changed since the plan was made. Nothing was done.',
    why: `${path}: ${what} has changed since.`,
    next: [makeAnew(path, plan)],
  })
}

function makeAnew(path: string, plan?: SavedPlan): NextStep {
  const playbook = plan?.saved.playbook?.path
  const words = ['plan', ...(playbook === undefined ? [] : [playbook]), '--out', path]
  return converge(words, { say: 'Make and check a new plan:' })
}
