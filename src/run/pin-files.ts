import { readFile, realpath } from 'node:fs/promises'
import { writeRevision } from '../inventory/write-revision.ts'
import { converge } from '../lib/next-command.ts'
import { stableJson } from '../lib/stable-json.ts'
import { loadInventory } from '../load/load.ts'
import type { FileEdit } from '../model/file-edit.ts'
import type { Fleet, ModelSource } from '../model/fleet.ts'
import type { Pin, PinFailure } from '../model/pin-document.ts'
import type { Pins } from './pin-models.ts'
import { writeEdits } from './write-edits.ts'

/** Pins that can be written, and failures. */
export interface SettledPins extends Pins {
  /** By real path. */
  readonly files: readonly FileEdit[]
}

/**
 * Computes the files with the commits in them; writes nothing. The new content is loaded as an inventory: a commit that would also apply to
 * another repository (by an anchor, `<<` or a group) is refused, and so is one that cannot be written without other changes.
 */
export async function settlePins(fleet: Fleet, found: Pins): Promise<SettledPins> {
  let { pins, failures } = found
  for (;;) {
    const { files, unwritten } = await rewritten(pins)
    const after = pins.length === 0 ? fleet : (await loadInventory(fleet.path, { edits: files })).fleet
    const changes = changesBetween(fleet, after)
    const strays = changes.filter((change) => !pins.some((pin) => isPinnedBy(change, pin)))
    const wrong =
      unwritten.length > 0 ? unwritten : pins.filter(({ commit }) => strays.some(({ now }) => now?.revision === commit))
    if (wrong.length === 0) {
      const shared = pins.map((pin) => ({
        ...pin,
        services: changes.filter((one) => isPinnedBy(one, pin)).map(({ who }) => who),
      }))
      return { pins: shared, failures, pinned: found.pinned, files }
    }
    const why = unwritten.length > 0 ? unwritable : (pin: Pin) => sharedWith(pin, strays)
    failures = [...failures, ...wrong.map((pin) => failureOf(pin, why(pin)))]
    pins = pins.filter((pin) => !wrong.includes(pin))
  }
}

/** Edits from the bottom up, so that positions above stay valid. */
async function rewritten(pins: readonly Pin[]): Promise<{ files: readonly FileEdit[]; unwritten: readonly Pin[] }> {
  const placed = await Promise.all(pins.map(async (pin) => ({ pin, file: await realpath(pin.at.file) })))
  const unwritten: Pin[] = []
  const files: FileEdit[] = []
  for (const file of new Set(placed.map((one) => one.file))) {
    const before = await readFile(file, 'utf8')
    const mark = before.startsWith('\uFEFF') ? '\uFEFF' : ''
    let text = before.slice(mark.length)
    const own = placed.filter((one) => one.file === file).map(({ pin }) => pin)
    for (const pin of own.toSorted((a, b) => b.at.line - a.at.line || b.at.column - a.at.column)) {
      const written = writeRevision(text, { ...pin.at, commit: pin.commit })
      if (written === undefined) unwritten.push(pin)
      else text = written
    }
    files.push({ file, before, after: mark + text })
  }
  return { files, unwritten }
}

/** A service whose source would change. */
interface Change {
  /** `service@host` */
  readonly who: string
  readonly was: ModelSource | undefined
  readonly now: ModelSource | undefined
}

function changesBetween(before: Fleet, after: Fleet): readonly Change[] {
  return before.hosts.flatMap(({ name: host, services }, at) =>
    services.flatMap(({ name, model }, index) => {
      const now = after.hosts[at]?.services[index]?.model.source
      return stableJson(model.source ?? null) === stableJson(now ?? null)
        ? []
        : [{ who: `${name}@${host}`, was: model.source, now }]
    }),
  )
}

/** The change is exactly the commit of this pin. */
function isPinnedBy({ was, now }: Change, { hub, repo, from, commit }: Pin): boolean {
  return (
    was?.hub === hub && was.repo === repo && was.revision === from && stableJson({ ...was, revision: commit }) === stableJson(now)
  )
}

type FailureText = Pick<PinFailure, 'code' | 'why' | 'next'>

function failureOf({ hub, repo, from: revision, services }: Pin, words: FailureText): PinFailure {
  return { hub, repo, revision, services, ...words }
}

function unwritable({ at, commit }: Pin): FailureText {
  return {
    code: 'PIN.UNWRITABLE',
    why: `${at.file}:${at.line} cannot be edited automatically without changing more than the revision.`,
    next: [`Write it by hand:  revision: ${commit}`],
  }
}

function sharedWith({ at, commit }: Pin, strays: readonly Change[]): FailureText {
  const others = strays.filter(({ now }) => now?.revision === commit).map(({ who }) => who)
  return {
    code: 'PIN.SHARED',
    why: `${at.file}:${at.line} also sets the revision of ${others.join(', ')}, for another repository or revision.`,
    next: ['Give each of these sources its own `revision`.'],
  }
}

/** @throws ConvergeError `INVENTORY.CHANGED`, `USAGE.OUTPUT_FILE` */
export async function writePinned(files: readonly FileEdit[]): Promise<void> {
  await writeEdits(files, { next: [converge(['pin'])] })
}
