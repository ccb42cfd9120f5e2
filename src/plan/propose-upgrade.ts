import { isPinnedImage } from '../lib/image-name.ts'
import { ownMember } from '../lib/own-member.ts'
import { restartOf } from '../managers/compare-fields.ts'
import { holdsServer } from '../managers/holds-server.ts'
import type { Action, FieldChange } from '../model/action.ts'
import { noop, type Proposal } from '../schedule/proposal.ts'
import { newerImage, wasMadeOnHost } from '../simulate/newer-image.ts'
import type { ServiceCase } from '../simulate/service-case.ts'

const imageField = 'running.image'
/** A running server is of another version than the host, or the registry, has. */
export const versionFields: ReadonlySet<string> = new Set([imageField, 'running.executable'])

/**
 * The differences of a running server, with the image that its registry has instead of the one that the host has. A definition that names another
 * image than the running one is no upgrade.
 */
export function withNewerImage(subject: ServiceCase, changes: readonly FieldChange[]): readonly FieldChange[] {
  const newer = newerImage(subject)
  const seen = changes.find(({ field }) => field === imageField)
  if (newer === undefined || seen?.to === newer.name) return changes
  const from = seen?.from ?? (newer.here === undefined ? null : `${newer.name} (${newer.here})`)
  const change = { field: imageField, from, to: `${newer.name} (${newer.there})`, effect: restartOf(subject.service.kind) }
  return [...changes.filter((one) => one !== seen), change]
}

/** Of an upgrade, only what gives a running server another version; with it comes whatever else the restart brings. */
export function onlyUpgrades(subject: ServiceCase, proposal: Proposal): Proposal {
  if (subject.upgrade === undefined) return proposal
  const { actions, findings } = proposal
  // It takes its own place, so it need not be stopped for another server.
  if (actions.some(isUpgrade)) return { actions, findings }
  return findings.length > 0 ? { actions: [], findings } : noop(subject, whyNot(subject, actions))
}

function isUpgrade({ interrupts, starts, changes }: Action): boolean {
  return interrupts && starts && changes.some(({ field }) => versionFields.has(field))
}

function whyNot({ state, service, question, upgrade, facts }: ServiceCase, actions: readonly Action[]): string {
  if (!state.known || service.state !== 'running' || !holdsServer(state.value))
    return 'Not running, so there is nothing to upgrade.'
  const others = actions.some(({ kind }) => kind !== 'noop') ? ' Other changes are pending, which only apply makes.' : ''
  const [image] = question.images
  if (image === undefined) return `It runs the executable that is on disk.${others}`
  if (isPinnedImage(image)) return `Its image is pinned by digest.${others}`
  if (wasMadeOnHost(image, facts)) return `Its image was built or loaded on the host, so no registry is followed.${others}`
  const isAnswered = ownMember(upgrade?.registry ?? {}, image)?.known === true
  return `${isAnswered ? 'It runs the image that its registry has' : 'It runs the image that the host has'}.${others}`
}
