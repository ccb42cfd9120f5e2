import { folderOfPath } from '../../lib/posix-path.ts'
import type { FieldChange } from '../../model/action.ts'
import type { Container, HostFacts } from '../../model/facts.ts'
import { redactedText } from '../../model/secret.ts'
import { serverKinds } from '../../servers/index.ts'
import { isAdopted } from '../adopted.ts'
import { compareFields, restartOf, withPrefix } from '../compare-fields.ts'
import type { Fields } from '../flag-fields.ts'
import type { RenderInput } from '../manager.ts'
import { ownershipLabelOf } from '../ownership-label.ts'
import { renderCompose } from './definition.ts'
import { composeFields } from './fields.ts'
import { meaningOf, rendersEntrypoint } from './meaning.ts'
import { comesFromFile, composeLabels, fileOf, projectName, serviceKey } from './names.ts'
import { mountIn, type Parts, partsOfBlock } from './parts-of-block.ts'
import { portsOf, seenFile, serverIn } from './seen.ts'
import { blockValue, ownPart } from './shared-block.ts'

/**
 * A container that a person started from the same file, as it is seen from the host. The engine does not show its environment: the file does, if it was
 * not edited since. The address of its port is not compared; the file has it.
 */
export function compareTheirs(input: RenderInput, container: Container, facts: HostFacts): readonly FieldChange[] {
  const { service } = input
  const { entrypoint, command, image, binds } = container
  const running: Parts = {
    image,
    entrypoint: rendersEntrypoint(service) ? entrypoint : [],
    command,
    environment: environmentOf(input, container, facts),
    ports: portsOf(container),
    mounts: binds.flatMap((bind) => mountIn(bind) ?? []),
    rest: {},
  }
  const wanted = composeFields(redactedText(renderCompose(input).definition.content), service) ?? {}
  const flags = new Set(
    serverKinds[service.kind].fields.settings.filter(({ field }) => field === 'host').map(({ flags: [flag] }) => flag),
  )
  const counts = ([field]: readonly [string, string]) =>
    /^(image|command|environment|ports)(\.|$)/.test(field) && !flags.has(field.replace(/^command\./, ''))
  const [from, to] = [meaningOf(running, service.kind), wanted].map((fields) =>
    Object.fromEntries(Object.entries(fields).filter(counts)),
  )
  const effect = restartOf(service.kind)
  return withPrefix('running', [...sourceChange(input, container), ...compareFields(from ?? {}, to ?? {}, () => effect)])
}

/** Compose would create it again, beside the container that is there. */
function sourceChange({ service }: RenderInput, container: Container): readonly FieldChange[] {
  if (comesFromFile(container, service)) return []
  const { labels } = container
  const project = labels[composeLabels.project]
  const from = project === undefined ? null : sourceWords(project, labels[composeLabels.service] ?? '', fileOf(labels))
  const to = sourceWords(projectName(service), serviceKey(service), service.file)
  return [{ field: 'project', from, to, effect: restartOf(service.kind) }]
}

function sourceWords(project: string, key: string, files = 'an unknown file'): string {
  return `${project}: ${key} in ${files}`
}

function environmentOf({ service, settings }: RenderInput, container: Container, facts: HostFacts): Fields {
  const seen = serverIn(container, facts)?.env
  const file = seenFile(service, facts)
  if (!file.known || file.value === null) return seen ?? {}
  const definition = ownPart(service, file.value, ownershipLabelOf(settings.org, service.name))
  const isEdited =
    (file.value.modifiedAt ?? 0) > Date.parse(container.startedAt) / 1000 && !isAdopted(service, settings.org, facts, definition)
  const block = isEdited ? undefined : blockValue(file.value.content, service)
  return block === undefined ? (seen ?? {}) : { ...partsOfBlock(block, folderOfPath(file.value.path)).environment, ...seen }
}

/** `[address:]host:container[/tcp]` */
export function withoutAddress(mapping: string): string {
  return /(\d+:\d+)(\/tcp)?$/.exec(mapping)?.[1] ?? mapping
}
