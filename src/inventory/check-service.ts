import { managers } from '../managers/index.ts'
import { hasField, hasOwnAccount, managersWith } from '../managers/traits.ts'
import type { ManagerName } from '../model/names.ts'
import { serverKinds } from '../servers/index.ts'
import { checkArguments } from './check-arguments.ts'
import { checkDoubled } from './check-doubled.ts'
import { checkFirstWord } from './check-first-word.ts'
import { checkModelSource } from './check-model-source.ts'
import { assumedPlatform, defaultImage, defaultManager } from './defaults.ts'
import type { HostFinding } from './issues.ts'
import { error, rangeOf, type ServiceToCheck } from './service-to-check.ts'

/** Checks the fields of one service together. What a safety rule judges is left to that rule. */
export function checkService(service: ServiceToCheck): readonly HostFinding[] {
  return [
    ...checkComplete(service),
    ...checkManager(service),
    ...checkProgram(service),
    ...checkFirstWord(service, managerOf(service)),
    ...checkKindOfFields(service),
    ...checkDoubled(service),
    ...checkArguments(service, managerOf(service)),
    ...checkUser(service),
    ...checkNames(service),
    ...checkFile(service),
    ...checkName(service),
    ...checkKeepAwake(service),
    ...checkSmoke(service),
    ...checkModelSource(service),
  ]
}

function checkComplete(service: ServiceToCheck): readonly HostFinding[] {
  const { written, name } = service
  const missing: string[] = []
  if (written.kind === undefined) missing.push(`\`kind\`: ${kindsInWords}`)
  if (written.port === undefined) missing.push('`port`')
  if (written.model === undefined) missing.push('`model`: the path of the model on the host')
  return missing.map((what) =>
    error(service, service.merged.key, 'INPUT.MISSING', (whom) => `\`${name}\` of ${whom} has no ${what}.`),
  )
}

const kindsInWords = Object.values(serverKinds)
  .map(({ name, about }) => `\`${name}\` for ${about}`)
  .join(', ')

const systemNames = { macos: 'macOS', linux: 'Linux' } as const

function checkManager(service: ServiceToCheck): readonly HostFinding[] {
  const { written, name, platform } = service
  if (written.manager === undefined) return []
  const { platforms } = managers[written.manager]
  if (platforms.includes(platform ?? assumedPlatform)) return []
  const home = platforms.map((one) => systemNames[one]).join(' and ')
  const has = platform === undefined ? 'has no `platform`, which means linux' : `is \`platform: ${platform}\``
  return [
    error(
      service,
      rangeOf(service, 'manager'),
      'INPUT.CONFLICT',
      (whom) => `\`${name}\` uses ${written.manager}, which needs ${home}, but ${whom} ${has}.`,
    ),
  ]
}

function checkProgram(service: ServiceToCheck): readonly HostFinding[] {
  const { written, name } = service
  const manager = managerOf(service)
  if (written.kind === undefined || manager === undefined) return []
  const findings: HostFinding[] = []
  if (written.executable === undefined && defaultImage(manager, written.kind) === undefined) {
    const words = (whom: string) =>
      `\`${name}\` of ${whom} runs under ${manager} and has no \`executable\`: the server's path on the host.`
    findings.push(error(service, service.merged.key, 'INPUT.MISSING', words))
  }
  if (managers[manager].isContainer && written.image === undefined && defaultImage(manager, written.kind) === undefined) {
    const words = (whom: string) =>
      `\`${name}\` of ${whom} runs under ${manager} and has no \`image\`; kind ${written.kind ?? ''} has no default for it.`
    findings.push(error(service, service.merged.key, 'INPUT.MISSING', words))
  }
  return findings
}

function checkKindOfFields(service: ServiceToCheck): readonly HostFinding[] {
  const { written, name, merged } = service
  const { kind } = written
  if (kind === undefined) return []
  const own = serverKinds[kind]
  const kinds = Object.values(serverKinds)
  const fields = new Set(kinds.flatMap((one) => Object.keys(one.fields.own)))
  return [...fields].flatMap((field) => {
    const owners = kinds.filter((one) => Object.hasOwn(one.fields.own, field))
    if (owners.includes(own) || !merged.fields.has(field)) return []
    const isContext = owners.some(({ contextField }) => contextField === field)
    const meant = isContext && own.contextField !== undefined ? ` Did you mean \`${own.contextField}\`?` : ''
    const owning = owners.map((one) => one.name).join(' and ')
    const words = (whom: string) => `\`${field}\` belongs to kind ${owning}, but \`${name}\` of ${whom} is kind ${kind}.${meant}`
    return [error(service, rangeOf(service, field), 'INPUT.CONFLICT', words)]
  })
}

function checkUser(service: ServiceToCheck): readonly HostFinding[] {
  const manager = managerOf(service)
  if (service.written.user === undefined || manager === undefined || hasOwnAccount(manager, service.written)) return []
  const words = (whom: string) =>
    hasField(manager, 'user')
      ? `\`user\` has no effect: \`${service.name}\` of ${whom} is an agent of the account that connects. With \`domain: system\` it is a daemon, which has a \`user\`.`
      : `\`user\` has no effect: \`${service.name}\` of ${whom} runs under ${manager}, and only ${managersWith('user')} run servers as other users.`
  return [{ ...error(service, rangeOf(service, 'user'), 'INPUT.NO_EFFECT', words), severity: 'warning' }]
}

/** What another manager calls it. */
function checkNames(service: ServiceToCheck): readonly HostFinding[] {
  const manager = managerOf(service)
  return (['unit', 'domain', 'label', 'file', 'file_service', 'project', 'container'] as const).flatMap((field) => {
    if (service.written[field] === undefined || manager === undefined || hasField(manager, field)) return []
    const words = (whom: string) =>
      `Only services under ${managersWith(field)} have a \`${field}\`, but \`${service.name}\` of ${whom} runs under ${manager}.`
    return [error(service, rangeOf(service, field), 'INPUT.CONFLICT', words)]
  })
}

/** What depends on whether the definition is in a file of the user. */
function checkFile(service: ServiceToCheck): readonly HostFinding[] {
  const { written, name } = service
  const conflicts = [
    ...(written.file === undefined && written.file_service !== undefined
      ? [['file_service', (whom: string) => `\`${name}\` of ${whom} has \`file_service\` and no \`file\`.`] as const]
      : []),
    ...(written.file !== undefined && written.key_delivery === 'inline'
      ? [
          [
            'key_delivery',
            (whom: string) => `\`${name}\` of ${whom} has \`file\`: converge writes no key into a file of yours.`,
          ] as const,
        ]
      : []),
  ]
  return conflicts.map(([field, words]) => error(service, rangeOf(service, field), 'INPUT.CONFLICT', words))
}

/** What its kind does not answer cannot prove that it works. */
function checkSmoke(service: ServiceToCheck): readonly HostFinding[] {
  const { kind, smoke } = service.written
  if (kind === undefined || smoke === undefined || smoke === 'none' || serverKinds[kind].answers.includes(smoke)) return []
  const offered = [...serverKinds[kind].answers, 'none'].map((one) => `\`${one}\``).join(' or ')
  const words = (whom: string) =>
    `\`${service.name}\` of ${whom} is kind ${kind}, which does not answer \`smoke: ${smoke}\`. Write ${offered}.`
  return [error(service, rangeOf(service, 'smoke'), 'INPUT.CONFLICT', words)]
}

function checkKeepAwake(service: ServiceToCheck): readonly HostFinding[] {
  const manager = managerOf(service)
  if (service.written.keep_awake !== true || manager === undefined || hasField(manager, 'keep_awake')) return []
  const words = (whom: string) =>
    `\`keep_awake\` works only under ${managersWith('keep_awake')} on macOS, but \`${service.name}\` of ${whom} runs under ${manager}.`
  return [error(service, rangeOf(service, 'keep_awake'), 'INPUT.CONFLICT', words)]
}

/** Undefined: it has no valid kind, which is an error of its own. */
export function managerOf({ written, platform }: Pick<ServiceToCheck, 'written' | 'platform'>): ManagerName | undefined {
  if (written.manager !== undefined) return written.manager
  return written.kind === undefined ? undefined : defaultManager(platform ?? assumedPlatform, written.kind)
}

function checkName(service: ServiceToCheck): readonly HostFinding[] {
  const { name, merged } = service
  const manager = managerOf(service)
  const fault = manager === undefined ? undefined : managers[manager].faults.name?.(name)
  if (fault === undefined) return []
  const words = (whom: string) => `\`${name}\` of ${whom} runs under ${manager ?? ''}, and its name ${fault}.`
  return [error(service, merged.key, 'INPUT.CONFLICT', words)]
}
