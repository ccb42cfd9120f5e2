import { oncePerObject } from '../../lib/once-per-object.ts'
import type { Secret } from '../../model/secret.ts'
import { keyInNotation } from '../key-text.ts'
import type { Rendered, RenderedFile, RenderInput } from '../manager.ts'
import { ownershipLines } from '../ownership-label.ts'
import { composeYaml } from './compose-yaml.ts'
import { composeProject, keyFileOutside, launchInContainer } from './project.ts'

export function definitionFile(root: string, service: string): string {
  return `${root}/compose/${service}/compose.yaml`
}

/** The compose file of a service, and the file with its key. */
export const renderCompose = oncePerObject((input: RenderInput): Rendered => {
  const inline = input.key !== undefined && input.service.keyDelivery === 'inline'
  const definition = {
    path: definitionFile(input.layout.root, input.service.name),
    content: composeYaml(ownershipLines(input), composeProject(input)),
    mode: inline ? 0o600 : 0o644,
  }
  const keyFile = renderKeyFile(input)
  return keyFile === undefined ? { definition } : { definition, keyFile }
})

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
