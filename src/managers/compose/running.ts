import { defined } from '../../lib/defined.ts'
import { shortDigest } from '../../lib/image-name.ts'
import { ownMember } from '../../lib/own-member.ts'
import type { FieldChange } from '../../model/action.ts'
import type { Container, HostFacts } from '../../model/facts.ts'
import { known, mapObserved, type Observed } from '../../model/observed.ts'
import { compareFields, restartOf, withPrefix } from '../compare-fields.ts'
import { type Fields, flagFields } from '../flag-fields.ts'
import type { RenderInput } from '../manager.ts'
import { ownershipLabelOf } from '../ownership-label.ts'
import { compareRunningFiles } from '../running-files.ts'
import { compareKey } from '../running-key.ts'
import {
  definitionLabel,
  imageOf,
  launchInContainer,
  modelBind,
  ownershipLabelKey,
  portMapping,
  restartPolicy,
  wantedDigest,
} from './project.ts'
import { compareTheirs, withoutAddress } from './running-theirs.ts'
import { isUp, seenContainer, serverIn } from './seen.ts'

/**
 * Compares the running container with the one that would be created now: first its own configuration; its label covers what the engine
 * does not show (environment, limits, checks).
 */
export function compareRunningCompose(input: RenderInput, facts: HostFacts): Observed<readonly FieldChange[]> {
  const container = seenContainer(input.service, facts)
  if (!container.known) return container
  if (container.value === null || !isUp(container.value)) return known([])
  const running = container.value
  const startedAt = Date.parse(running.startedAt) / 1000
  const holder = { startedAt: Number.isNaN(startedAt) ? undefined : startedAt, env: serverIn(running, facts)?.env }
  const configured = isOurs(input, running) ? compareOurs(input, running) : compareTheirs(input, running, facts)
  return mapObserved(compareKey(input, facts, holder), (key) => [
    ...configured,
    ...compareImage(input, running, facts),
    ...compareRunningFiles(input.service, facts, serverIn(running, facts), true),
    ...key,
  ])
}

/** Whether it was created from a definition of converge. Only in a user's own file there may be another one. */
function isOurs({ service, settings }: RenderInput, { labels }: Container): boolean {
  return service.file === undefined || labels[ownershipLabelKey] === ownershipLabelOf(settings.org, service.name)
}

function compareOurs(input: RenderInput, container: Container): readonly FieldChange[] {
  const configured = compareConfiguration(input, container)
  return configured.length === 0 ? compareLabel(input, container) : configured
}

function compareConfiguration(input: RenderInput, container: Container): readonly FieldChange[] {
  const effect = restartOf(input.service.kind)
  return withPrefix(
    'running',
    compareFields(containerFields(input, container), wantedFields(input), () => effect),
  )
}

function wantedFields(input: RenderInput): Fields {
  const { service } = input
  const launch = launchInContainer(input)
  const words = launch.entrypointLength === launch.program.length ? [] : launch.program
  return {
    image: imageOf(service),
    restart: restartPolicy,
    'ports.0': portMapping(input),
    'volumes./models': modelBind(service),
    ...flagFields('command', [...words, ...launch.args].map(String)),
  }
}

function containerFields(input: RenderInput, container: Container): Fields {
  const { entrypointLength, program } = launchInContainer(input)
  const words = entrypointLength === program.length ? [] : container.entrypoint
  const ports = container.ports.map((mapping, index) => [`ports.${index}`, withoutAddress(mapping)])
  const models = container.binds.filter((bind) => /:\/models(:|$)/.test(bind)).map((bind) => ['volumes./models', bindOf(bind)])
  return {
    image: container.image,
    restart: container.restartPolicy,
    ...Object.fromEntries([...ports, ...models]),
    ...flagFields('command', [...words, ...container.command]),
  }
}

/** An image name points to another image after a newer one is pulled; the container keeps the one it was created from. */
function compareImage(
  { service }: RenderInput,
  { image, imageId }: Container,
  { containers }: HostFacts,
): readonly FieldChange[] {
  const name = imageOf(service)
  if (!containers.known) return []
  const { imageIds = {}, imageDigests = {} } = containers.value
  const now = ownMember(imageIds, name)
  if (image !== name || now === undefined || imageId === undefined || now === imageId) return []
  const [digest] = ownMember(imageDigests, name) ?? []
  const to = digest === undefined ? short(now) : shortDigest(digest)
  return [{ field: 'running.image', from: `${name} (${short(imageId)})`, to: `${name} (${to})`, effect: restartOf(service.kind) }]
}

/** A container that only has another time to stop is no reason to stop it. */
function compareLabel(input: RenderInput, { labels, stopTimeoutS }: Container): readonly FieldChange[] {
  const from = labels[definitionLabel] ?? null
  const to = wantedDigest(input)
  const alike = { ...input, service: { ...input.service, ...defined({ stopTimeoutS }) } }
  if (from === to || from === wantedDigest(alike)) return []
  return [{ field: 'running.definition', from: short(from), to: short(to), effect: restartOf(input.service.kind) }]
}

function short(digest: string | null): string | null {
  return digest === null ? null : digest.slice(0, 12)
}

/** Engines add their own options: `/m:/models:ro,rprivate`. */
function bindOf(bind: string): string {
  const [, path = bind, options = 'rw'] = /^(.*:\/models)(?::(.*))?$/.exec(bind) ?? []
  return options.split(',').includes('ro') ? `${path}:ro` : path
}
