import { oncePerObject } from '../../lib/once-per-object.ts'
import type { Action } from '../../model/action.ts'
import type { Secret } from '../../model/secret.ts'
import { keyInNotation } from '../key-text.ts'
import type { NamedService, Rendered, RenderedDefinition, RenderedFile, RenderInput } from '../manager.ts'
import { ownershipLines } from '../ownership-label.ts'
import { composeYaml } from './compose-yaml.ts'
import { dependentOn } from './dependents.ts'
import { serviceKey } from './names.ts'
import { composeService, keyFileOutside, launchInContainer } from './project.ts'
import { type EditedFile, editWithBlock, editWithoutBlock } from './shared-file.ts'

export function definitionFile(root: string, service: NamedService): string {
  return service.file ?? `${root}/compose/${service.name}/compose.yaml`
}

/** The compose file of a service, and the file with its key. */
export const renderCompose = oncePerObject((input: RenderInput): Rendered => {
  const definition = input.service.file === undefined ? renderFile(input) : renderPart(input)
  const keyFile = renderKeyFile(input)
  return keyFile === undefined ? { definition } : { definition, keyFile }
})

function renderFile(input: RenderInput): RenderedDefinition {
  const inline = input.key !== undefined && input.service.keyDelivery === 'inline'
  const services = { [serviceKey(input.service)]: composeService(input) }
  return {
    path: definitionFile(input.layout.root, input.service),
    content: composeYaml(ownershipLines(input), { services }),
    mode: inline ? 0o600 : 0o644,
  }
}

/** The user's own file with the service in it. Where it cannot be edited (`writeFault`), the service alone. */
function renderPart(input: RenderInput): RenderedDefinition {
  const { content, part } = editOf(input)
  return { ...placeOfFile(input), content: [content], part }
}

/** The user's own file with the service in it. */
export const editOf = oncePerObject((input: RenderInput): EditedFile => editWithBlock(input, composeService(input)))

/** A user's own file keeps its mode and its owner. */
export function placeOfFile({ layout, service, around }: RenderInput): Pick<RenderedFile, 'path' | 'mode' | 'owner'> {
  const account = layout.effectiveUid === 0 ? 'root' : layout.user
  return {
    path: definitionFile(layout.root, service),
    mode: around === undefined ? 0o644 : around.mode & 0o7777,
    ...(around === undefined || around.owner === account ? {} : { owner: `${around.owner}:` }),
  }
}

/** Why a user's own file cannot be written as an action needs it; undefined: it can, or the service has a file of its own. */
export function writeFault({ kind }: Pick<Action, 'kind'>, input: RenderInput): string | undefined {
  if (input.service.file === undefined) return undefined
  const dependent = dependentOn(input)
  if (dependent !== undefined) return `Its service ${dependent} uses the network or the volumes of this one, and would lose them.`
  if (kind !== 'remove') return editOf(input).fault
  const without = editWithoutBlock(input)
  return without !== undefined && 'why' in without ? without.why : undefined
}

function renderKeyFile(input: RenderInput): RenderedFile | undefined {
  const { keyFileContent, secretEnv } = launchInContainer(input)
  const file = { path: keyFileOutside(input), mode: 0o600 }
  if (keyFileContent !== undefined) return { ...file, content: [keyFileContent] }
  const lines = Object.entries(secretEnv)
  if (lines.length === 0) return undefined
  return { ...file, content: lines.flatMap(([name, key]) => [`${name}='`, asItIs(key), "'\n"]) }
}

/** Within single quotes both generations of compose read a text literally, except these characters (tested with 1.29.2 and 2.26). */
function asItIs(key: Secret): Secret {
  return keyInNotation(key, refused, (value) => value)
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const refused = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff'\\]|\$\{/
