import { oncePerObject } from '../../lib/once-per-object.ts'
import type { Service } from '../../model/fleet.ts'
import type { Launch } from '../../model/launch.ts'
import type { SecretText } from '../../model/secret.ts'
import { serverKinds } from '../../servers/index.ts'
import { keyFileName } from '../key-file.ts'
import type { Rendered, RenderedFile, RenderInput } from '../manager.ts'
import { ownershipLines } from '../ownership-label.ts'
import { assignment, commandLine, environmentFileLine, plainValue, type UnitSection, unitText } from './unit-text.ts'

/** Its own name in the inventory, or the service's. */
export function unitName({ name, unit }: Pick<Service, 'name' | 'unit'>): string {
  return unit ?? `${name}.service`
}

export function unitPath(service: Service): string {
  return `/etc/systemd/system/${unitName(service)}`
}

/** The account that runs the unit. */
export function accountOf({ service, layout }: RenderInput): string {
  return service.user ?? layout.user
}

export function launchAsUnit(input: RenderInput): Launch {
  const { service, key } = input
  return serverKinds[service.kind].launch(service, { model: service.model.path, keyFile: keyFilePath(input) }, key)
}

export function keyFilePath({ service, layout }: RenderInput): string {
  return `${layout.root}/${keyFileName(service)}`
}

/** The unit of a service, and the file with its key. */
export const renderUnit = oncePerObject((input: RenderInput): Rendered => {
  const launch = launchAsUnit(input)
  const inline = input.key !== undefined && input.service.keyDelivery === 'inline'
  const definition = {
    path: unitPath(input.service),
    content: unitText(ownershipLines(input), [unitSection(input), serviceSection(input, launch), installSection]),
    mode: inline ? 0o600 : 0o644,
  }
  const keyFile = renderKeyFile(input, launch)
  return keyFile === undefined ? { definition } : { definition, keyFile }
})

/**
 * The template's settings, plus: `Wants`, because `After` alone waits for nothing; and a start limit that works although starts are ten
 * seconds apart (systemd's default of five in ten seconds never triggers).
 */
function unitSection({ service }: RenderInput): UnitSection {
  return {
    name: 'Unit',
    directives: [
      ['Description', plainValue(`Model server ${service.name} (kind ${service.kind}, port ${service.port})`)],
      ['After', plainValue('network-online.target')],
      ['Wants', plainValue('network-online.target')],
      ['StartLimitIntervalSec', plainValue('600')],
      ['StartLimitBurst', plainValue('5')],
    ],
  }
}

function serviceSection(input: RenderInput, launch: Launch): UnitSection {
  const { service } = input
  const environment = Object.entries(launch.env).map(([name, value]) => ['Environment', assignment(name, value)] as const)
  const hasFile = Object.keys(launch.secretEnv).length > 0
  return {
    name: 'Service',
    directives: [
      // A program that cannot be executed makes the start fail; other types only log it.
      ['Type', plainValue('exec')],
      ['User', plainValue(accountOf(input))],
      ...environment,
      ...(hasFile ? [['EnvironmentFile', plainValue(keyFilePath(input))] as const] : []),
      ['ExecStart', commandLine([...launch.program, ...launch.args])],
      ['Restart', plainValue('on-failure')],
      ['RestartSec', plainValue('10')],
      ...fatalExits(launch),
      ['TimeoutStopSec', plainValue(String(service.stopTimeoutS))],
      ...(serverKinds[service.kind].savesConversations ? [['UMask', plainValue('0077')] as const] : []),
    ],
  }
}

function fatalExits({ fatalExitCodes }: Launch): readonly (readonly [string, SecretText])[] {
  return fatalExitCodes.length === 0 ? [] : [['RestartPreventExitStatus', plainValue(fatalExitCodes.join(' '))]]
}

const installSection: UnitSection = { name: 'Install', directives: [['WantedBy', plainValue('multi-user.target')]] }

/** systemd itself reads the environment file; the server reads the key file, as its own account. */
function renderKeyFile(input: RenderInput, { keyFileContent, secretEnv }: Launch): RenderedFile | undefined {
  const file = { path: keyFilePath(input), mode: 0o600 }
  if (keyFileContent !== undefined) return { ...file, content: [keyFileContent], owner: accountOf(input) }
  const lines = Object.entries(secretEnv)
  return lines.length === 0 ? undefined : { ...file, content: lines.flatMap(([name, key]) => environmentFileLine(name, key)) }
}
