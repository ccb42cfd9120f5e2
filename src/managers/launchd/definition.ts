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
import { domainOf, plistIn } from './domain.ts'
import { plistText } from './plist-text.ts'

/** The label of the agent in launchd, by default the ownership label, `com.<org>.<service>`. */
export function labelOf({ name, label }: Pick<Service, 'name' | 'label'>, org: string): string {
  return label ?? ownershipLabelOf(org, name)
}

/** The path in the question to the probe. */
export function askedPlist(service: Service, org: string, domain = domainOf(service)): string {
  return plistIn(domain, { home: '@home' }, labelOf(service, org))
}

export function plistPath({ service, settings, layout }: RenderInput): string {
  return plistIn(domainOf(service), layout, labelOf(service, settings.org))
}

/** The account that runs the server. */
export function accountOf({ user }: Pick<Service, 'user'>, layout: Pick<Layout, 'user'>): string {
  return user ?? layout.user
}

/**
 * One file for both streams. launchd neither creates its folder nor rotates it. Daemons of one account share a folder that this account owns.
 */
export function logPath(service: Pick<Service, 'name' | 'domain' | 'user'>, layout: Pick<Layout, 'home' | 'user'>): string {
  const folder = domainOf(service) === 'system' ? `/Library/Logs/converge/${accountOf(service, layout)}` : agentLogs(layout)
  return `${folder}/${service.name}.log`
}

function agentLogs({ home }: Pick<Layout, 'home'>): string {
  return `${home}/Library/Logs/converge`
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

/** Its own variables. A daemon gets no `HOME` from a login. */
export function environmentOf(input: RenderInput, { env }: Launch): Launch['env'] {
  return domainOf(input.service) === 'system' ? { HOME: input.home ?? input.layout.home, ...env } : env
}

/** The job of a service, and the file with its key. */
export const renderAgent = oncePerObject((input: RenderInput): Rendered => {
  const launch = launchAsAgent(input)
  const definition = {
    path: plistPath(input),
    content: plistText(ownershipLines(input), agentOf(input, launch)),
    // launchd refuses files that others can write, and newer systems also files that they cannot read.
    mode: 0o644,
    ...definitionOwner(input),
  }
  const keyFile = renderKeyFile(input, launch)
  return keyFile === undefined ? { definition } : { definition, keyFile }
})

/** The template's settings, plus what a real Mac needs: time to stop gracefully, and no throttling as a background process. */
function agentOf(input: RenderInput, launch: Launch): SecretTree {
  const { service, settings, layout } = input
  const log = logPath(service, layout)
  const environment = environmentOf(input, launch)
  const isDaemon = domainOf(service) === 'system'
  return {
    Label: labelOf(service, settings.org),
    ...(isDaemon ? daemonAccount(input) : {}),
    ProgramArguments: programArguments(input, launch),
    ...(Object.keys(environment).length === 0 ? {} : { EnvironmentVariables: environment }),
    // KeepAlive implies it; a daemon says so, because it is there to start at boot.
    RunAtLoad: isDaemon,
    KeepAlive: { SuccessfulExit: false },
    ProcessType: 'Interactive',
    ...(isDaemon ? { Umask: umaskOf(service) } : {}),
    ExitTimeOut: service.stopTimeoutS,
    StandardOutPath: log,
    StandardErrorPath: log,
  }
}

/** Without an account a daemon runs as root. */
function daemonAccount({ service, layout }: RenderInput): { readonly UserName?: string } {
  const account = accountOf(service, layout)
  return account === 'root' ? {} : { UserName: account }
}

/** Its group may read what it writes; saved conversations are for the account alone. A property list has the mask as a decimal number. */
function umaskOf({ kind }: Service): number {
  return serverKinds[kind].savesConversations ? 0o077 : 0o027
}

function definitionOwner(input: RenderInput): { readonly owner?: string } {
  return domainOf(input.service) === 'system' ? { owner: 'root:wheel' } : ownedBy(input)
}

/** The login account owns the files even where commands run as root: launchd starts no agent from another user's file. */
function ownedBy({ layout }: RenderInput): { readonly owner?: string } {
  return layout.effectiveUid === 0 && layout.user !== 'root' ? { owner: layout.user } : {}
}

/** Of what the server itself reads and writes. */
export function accountOwner(input: RenderInput): string | undefined {
  return keyOwner(input).owner
}

/** The server reads its key itself. */
function keyOwner(input: RenderInput): { readonly owner?: string } {
  return domainOf(input.service) === 'system' ? { owner: accountOf(input.service, input.layout) } : ownedBy(input)
}

function renderKeyFile(input: RenderInput, { keyFileContent, secretEnv }: Launch): RenderedFile | undefined {
  const file = { path: keyFilePath(input), mode: 0o600, ...keyOwner(input) }
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
