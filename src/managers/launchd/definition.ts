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

/** As launchd knows it: the mark itself, `com.<org>.<service>`. */
export function labelOf(service: Pick<Service, 'name'>, org: string): string {
  return ownershipLabelOf(org, service.name)
}

/** As the probe is asked for it. */
export function askedPlist(service: Service, org: string): string {
  return `@home/Library/LaunchAgents/${labelOf(service, org)}.plist`
}

export function plistPath({ service, settings, layout }: RenderInput): string {
  return plistIn(layout, labelOf(service, settings.org))
}

export function plistIn({ home }: Pick<Layout, 'home'>, label: string): string {
  return `${home}/Library/LaunchAgents/${label}.plist`
}

/** One file for both streams. launchd makes no folder for it, and rotates nothing. */
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
 * What launchd is to start. It has no environment files: where a key must not stand in the property list, which everybody may read, a
 * shell reads it and becomes the server.
 */
export function programArguments(input: RenderInput, launch: Launch): readonly (string | Secret)[] {
  const words = [...launch.program, ...launch.args]
  if (Object.keys(launch.secretEnv).length === 0) return words
  return ['/bin/sh', '-c', 'set -a; . "$0"; set +a; exec "$@"', keyFilePath(input), ...words]
}

/** The agent of a service, and beside converge's own things what holds its key. */
export const renderAgent = oncePerObject((input: RenderInput): Rendered => {
  const launch = launchAsAgent(input)
  const definition = {
    path: plistPath(input),
    content: plistText(ownershipLines(input), agentOf(input, launch)),
    // launchd takes no file that others may write, and newer systems none that they cannot read.
    mode: 0o644,
    ...ownedBy(input),
  }
  const keyFile = renderKeyFile(input, launch)
  return keyFile === undefined ? { definition } : { definition, keyFile }
})

/** What the template fixes, and what a real Mac needs: time to stop by itself, and no throttle of a background process. */
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

/** Where commands run as root, the files are the account's all the same: launchd starts no agent of another's file. */
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

/** Between single quotes of a shell. */
function inQuotes(key: Secret): Secret {
  return keyInNotation(key, controlCharacters, (value) => value.replaceAll("'", `'\\''`))
}
