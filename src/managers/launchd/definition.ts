import { oncePerObject } from '../../lib/once-per-object.ts'
import type { Layout } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { Launch } from '../../model/launch.ts'
import type { Secret } from '../../model/secret.ts'
import { serverKinds } from '../../servers/index.ts'
import type { SecretTree } from '../closed-secrets.ts'
import { keyFileName } from '../key-file.ts'
import { controlCharacters, keyInNotation } from '../key-text.ts'
import type { Rendered, RenderedFile, RenderInput } from '../manager.ts'
import { ownershipLabelOf, ownershipLines } from '../ownership-label.ts'
import { plistText } from './plist-text.ts'

/** The label of the agent in launchd, by default the ownership label, `com.<org>.<service>`. */
export function labelOf({ name, label }: Pick<Service, 'name' | 'label'>, org: string): string {
  return label ?? ownershipLabelOf(org, name)
}

/** The path in the question to the probe. */
export function askedPlist(service: Service, org: string): string {
  return `@home/Library/LaunchAgents/${labelOf(service, org)}.plist`
}

export function plistPath({ service, settings, layout }: RenderInput): string {
  return plistIn(layout, labelOf(service, settings.org))
}

export function plistIn({ home }: Pick<Layout, 'home'>, label: string): string {
  return `${home}/Library/LaunchAgents/${label}.plist`
}

/** One file for both streams. launchd neither creates its folder nor rotates it. */
export function logPath(service: Pick<Service, 'name'>, { home }: Pick<Layout, 'home'>): string {
  return `${home}/Library/Logs/converge/${service.name}.log`
}

export function keyFilePath({ service, layout }: RenderInput): string {
  return `${layout.root}/${keyFileName(service)}`
}

export function launchAsAgent(input: RenderInput): Launch {
  const { service, key } = input
  return serverKinds[service.kind].launch(service, { model: service.model.path, keyFile: keyFilePath(input) }, key)
}

/**
 * The command that launchd starts. launchd has no environment files: where the world-readable property list must not contain a key, a shell
 * reads the key file and then executes the server.
 */
export function programArguments(input: RenderInput, launch: Launch): readonly (string | Secret)[] {
  const words = [...launch.program, ...launch.args]
  if (Object.keys(launch.secretEnv).length === 0) return words
  return ['/bin/sh', '-c', 'set -a; . "$0"; set +a; exec "$@"', keyFilePath(input), ...words]
}

/** The agent of a service, and the file with its key. */
export const renderAgent = oncePerObject((input: RenderInput): Rendered => {
  const launch = launchAsAgent(input)
  const definition = {
    path: plistPath(input),
    content: plistText(ownershipLines(input), agentOf(input, launch)),
    // launchd refuses files that others can write, and newer systems also files that they cannot read.
    mode: 0o644,
    ...ownedBy(input),
  }
  const keyFile = renderKeyFile(input, launch)
  return keyFile === undefined ? { definition } : { definition, keyFile }
})

/** The template's settings, plus what a real Mac needs: time to stop gracefully, and no throttling as a background process. */
function agentOf(input: RenderInput, launch: Launch): SecretTree {
  const { service, settings, layout } = input
  const log = logPath(service, layout)
  return {
    Label: labelOf(service, settings.org),
    ProgramArguments: programArguments(input, launch),
    ...(Object.keys(launch.env).length === 0 ? {} : { EnvironmentVariables: launch.env }),
    RunAtLoad: false,
    KeepAlive: { SuccessfulExit: false },
    ProcessType: 'Interactive',
    ExitTimeOut: service.stopTimeoutS,
    StandardOutPath: log,
    StandardErrorPath: log,
  }
}

/** The login account owns the files even where commands run as root: launchd starts no agent from another user's file. */
function ownedBy({ layout }: RenderInput): { readonly owner?: string } {
  return layout.effectiveUid === 0 && layout.user !== 'root' ? { owner: layout.user } : {}
}

function renderKeyFile(input: RenderInput, { keyFileContent, secretEnv }: Launch): RenderedFile | undefined {
  const file = { path: keyFilePath(input), mode: 0o600, ...ownedBy(input) }
  if (keyFileContent !== undefined) return { ...file, content: [keyFileContent] }
  const lines = Object.entries(secretEnv)
  return lines.length === 0
    ? undefined
    : { ...file, content: lines.flatMap(([name, key]) => [`${name}='`, inQuotes(key), `'\n`]) }
}

/** For a shell's single quotes. */
function inQuotes(key: Secret): Secret {
  return keyInNotation(key, controlCharacters, (value) => value.replaceAll("'", `'\\''`))
}
