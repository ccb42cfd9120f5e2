import { askedBelowHome } from '../../facts/asked-path.ts'
import { converge } from '../../lib/next-command.ts'
import { ownMember } from '../../lib/own-member.ts'
import { logRuleOwnershipLabel, logRulePath } from '../../managers/launchd/log-rule.ts'
import type { ServiceState } from '../../managers/manager.ts'
import { ownershipLabelOf } from '../../managers/ownership-label.ts'
import type { Action } from '../../model/action.ts'
import type { DefinitionFile } from '../../model/facts.ts'
import { endpointsField, endpointsOwnershipLabel, filesOf } from '../../settings/endpoints-files.ts'
import { logRuleField } from '../../settings/log-rotation.ts'
import { takeoverOf } from '../../simulate/takeover-of.ts'
import { ownContainer } from '../own-container.ts'
import type { ActionContext, Finding, Rule, ServiceContext, SettingContext } from '../rule.ts'
import { takeoverReasons } from '../takeover-words.ts'
import { fleetLine, gerunds, unknownWords } from '../words.ts'

export const definitionForeign: Rule = {
  code: 'DEFINITION.FOREIGN',
  severity: 'refuse',
  title: 'The definition was not written by converge.',
  explain:
    'A definition is the unit, compose or plist file of a service. A definition without the label of this inventory belongs to another person, ' +
    'another tool or another inventory. Overwriting it would lose what they wrote. If its server is exactly what the inventory describes, ' +
    'converge adopts it as it is; `converge adopt HOST` writes such an inventory. Otherwise read the definition, carry over what matters and ' +
    'approve the change (`--allow`), or give the service another name. Approval lets converge overwrite the definition. It still stops no ' +
    'process that it does not manage (`PROCESS.FOREIGN`).',
  consentable: true,
  checkService(context) {
    // If the state is known, each action is judged by it.
    if (context.state.known) return []
    const foreign = foreignFile(context)
    return foreign === undefined ? [] : [unseenForeign(context, foreign)]
  },
  checkAction(context) {
    const { action, service, before } = context
    const simulated = ownMember(before.services, service.name)
    if (simulated?.definition !== 'foreign' || isHarmless(action)) return []
    // PROCESS.FOREIGN reports actions that would end a process of a foreign definition.
    if (isTouch(action) && action.interrupts && simulated.running) return []
    if (context.state.definitionDigest === null || ownContainer(context) === 'foreign') return [nameTaken(context)]
    if (isTouch(action)) return [foreignTouch(context)]
    return [action.kind === 'remove' ? foreignRemove(context) : foreignOverwrite(context)]
  },
  checkSetting(context) {
    const file = foreignRule(context)
    const lists = foreignLists(context).map((list) => foreignList(context, list))
    return [...(file === undefined ? [] : [foreignSetting(context, file)]), ...lists]
  },
}

/** Writes no definition and stops nothing. */
function isHarmless({ kind }: Action): boolean {
  return kind === 'noop' || kind === 'adopt' || kind === 'release'
}

/** An action on whatever the supervisor knows by that name, without writing a definition. */
function isTouch({ kind }: Action): boolean {
  return kind === 'stop' || kind === 'start' || kind === 'restart'
}

function foreignOverwrite(context: ActionContext): Finding {
  const { service, host, state } = context
  return {
    why: `${state.definitionPath} on ${host.name} does not have the label of this inventory. Overwriting it for ${service.name} would lose what another person or tool wrote.`,
    evidence: [...evidenceOf(state), ...notAdopted(context)],
    next: [
      converge(['adopt', host.name]),
      `Or read ${state.definitionPath} on ${host.name}, and carry over what matters.`,
      'Or give the service another name.',
    ],
  }
}

/** What prevents that converge takes the definition over as it is. */
function notAdopted({ subject }: ActionContext): readonly string[] {
  const takeover = takeoverOf(subject)
  if (takeover === undefined) return []
  if (!takeover.known) return [`whether it can be adopted is unknown: ${unknownWords(takeover)}`]
  return takeoverReasons(takeover.value).map(({ why }) => `not adopted: ${why}`)
}

/** Stopping also disables: the unmanaged service would not start at the next boot, even if it does not run now. */
function foreignTouch({ service, host, state, action }: ActionContext): Finding {
  return {
    consentable: false,
    why: `${state.definitionPath} on ${host.name} does not have the label of this inventory, so converge does not ${action.kind} ${service.name}.`,
    evidence: [...evidenceOf(state), ...state.notes],
    next: [
      `Stop it yourself on ${host.name} if it is not needed, and remove ${state.definitionPath}.`,
      `Or give the service ${service.name} another name.`,
    ],
  }
}

function foreignRemove({ service, host, state }: ActionContext): Finding {
  return {
    consentable: false,
    why: `${state.definitionPath} on ${host.name} does not have the label of this inventory. \`state: absent\` removes only what converge wrote.`,
    evidence: evidenceOf(state),
    next: [`Remove ${state.definitionPath} yourself if it is not needed, or remove ${service.name} from the inventory.`],
  }
}

/** Not a file at our path but something else of that name: an approval would not give converge a file to overwrite. */
function nameTaken({ service, host, state, action }: ActionContext): Finding {
  return {
    consentable: false,
    why: `The supervisor on ${host.name} already has an unmanaged ${service.name}. ${gerunds[action.kind]} the service would take it over.`,
    evidence: [...evidenceOf(state), ...state.notes],
    next: [`Remove or rename it on ${host.name}, or give the service another name.`],
  }
}

/** A foreign file at our path, from which no known model server runs. */
function foreignFile({ manager, service, facts, fleet }: ServiceContext): DefinitionFile | undefined {
  const { org } = fleet.settings
  // Others are where the definition was before.
  return manager
    .asks(service, org)
    .definitions.slice(0, 1)
    .map((asked) => facts.definitions[asked])
    .map((seen) => (seen?.known === true ? (seen.value ?? undefined) : undefined))
    .find((file) => file !== undefined && file.mark !== ownershipLabelOf(org, service.name) && file.path !== service.file)
}

function unseenForeign({ service, host }: ServiceContext, { path, digest }: DefinitionFile): Finding {
  return {
    consentable: false,
    why: `${path} on ${host.name} does not have the label of this inventory, and no known model server runs from it. converge leaves it alone.`,
    evidence: [`${path} exists without the label of this inventory, SHA-256 ${digest.slice(0, 12)}`],
    next: [`Read ${path} on ${host.name}; remove it if it is not needed, or give the service ${service.name} another name.`],
  }
}

/** A foreign file at the path of our newsyslog rule. */
function foreignRule({ fleet, facts, changes }: SettingContext): DefinitionFile | undefined {
  const { org } = fleet.settings
  const seen = facts.definitions[logRulePath(org)]
  const file = seen?.known === true ? (seen.value ?? undefined) : undefined
  return changes.some(({ field }) => field === logRuleField) && file?.mark !== logRuleOwnershipLabel(org) ? file : undefined
}

function foreignSetting({ host }: SettingContext, { path, digest }: DefinitionFile): Finding {
  return {
    consentable: false,
    why: `${path} on ${host.name} does not have the label of this inventory. Overwriting it would lose what another person or tool wrote.`,
    evidence: [`${path} exists without the label of this inventory, SHA-256 ${digest.slice(0, 12)}`],
    next: [`Read ${path} on ${host.name} and remove it if it is not needed, or set rotate_logs: false for ${host.name}.`],
  }
}

/** Files at the paths of our lists of endpoints that converge did not write. */
function foreignLists({ fleet, host, facts, changes }: SettingContext): readonly DefinitionFile[] {
  const label = endpointsOwnershipLabel(fleet.settings.org)
  return filesOf(fleet, host).flatMap((file) => {
    const seen = facts.definitions[askedBelowHome(file.path)]
    const isDue = changes.some(({ field }) => field === endpointsField(file))
    return isDue && seen?.known === true && seen.value !== null && seen.value.mark !== label ? [seen.value] : []
  })
}

function foreignList({ fleet, host }: SettingContext, { path, digest }: DefinitionFile): Finding {
  return {
    why: `${path} on ${host.name} does not have the label of this inventory. Overwriting it would lose what another person or tool wrote.`,
    evidence: [
      fleetLine(fleet, ['endpoints'], `endpoints: ${path} on ${host.name}`),
      `${path} exists without the label of this inventory, SHA-256 ${digest.slice(0, 12)}`,
    ],
    next: [`Read ${path} on ${host.name}, and carry over what matters; or name another path in fleet.endpoints.`],
  }
}

function evidenceOf({ definitionPath, definitionDigest }: ServiceState): readonly string[] {
  return definitionDigest === null
    ? []
    : [`${definitionPath} exists without the label of this inventory, SHA-256 ${definitionDigest.slice(0, 12)}`]
}
