import { ownMember } from '../../lib/own-member.ts'
import { logRuleMark, logRulePath } from '../../managers/launchd/log-rule.ts'
import type { ServiceState } from '../../managers/manager.ts'
import { markOf } from '../../managers/mark.ts'
import type { Action } from '../../model/action.ts'
import type { DefinitionFile } from '../../model/facts.ts'
import { logRuleField } from '../../settings/log-rotation.ts'
import { ownContainer } from '../own-container.ts'
import type { ActionContext, Finding, Rule, ServiceContext, SettingContext } from '../rule.ts'

export const definitionForeign: Rule = {
  code: 'DEFINITION.FOREIGN',
  severity: 'refuse',
  title: 'The definition was not written by converge.',
  explain:
    'A definition without the mark of this inventory belongs to another person, another tool or another inventory. Overwriting it would lose ' +
    'what they wrote. Read it, carry over what matters and approve the change (`--allow`), or give the service another name. No approval makes ' +
    'converge stop, start or remove a foreign definition; it does that only to what it wrote.',
  consentable: true,
  checkService(context) {
    // Where the state is known, each action is judged by it.
    if (context.state.known) return []
    const foreign = foreignFile(context)
    return foreign === undefined ? [] : [unseenForeign(context, foreign)]
  },
  checkAction(context) {
    const { action, service, before } = context
    const simulated = ownMember(before.services, service.name)
    if (simulated?.definition !== 'foreign' || action.kind === 'noop') return []
    // Ending what runs from somebody else's definition is told by PROCESS.FOREIGN.
    if (isTouch(action) && action.interrupts && simulated.running) return []
    if (context.state.definitionDigest === null || ownContainer(context) === 'foreign') return [nameTaken(context)]
    if (isTouch(action)) return [foreignTouch(context)]
    return [action.kind === 'remove' ? foreignRemove(context) : foreignOverwrite(context)]
  },
  checkSetting(context) {
    const file = foreignRule(context)
    return file === undefined ? [] : [foreignSetting(context, file)]
  },
}

/** What acts on whatever the supervisor knows by the name, without writing a definition. */
function isTouch({ kind }: Action): boolean {
  return kind === 'stop' || kind === 'start' || kind === 'restart'
}

function foreignOverwrite({ service, host, state }: ActionContext): Finding {
  return {
    why: `${state.definitionPath} on ${host.name} carries no mark of this inventory; to overwrite it for ${service.name} would lose what somebody else wrote.`,
    evidence: evidenceOf(state),
    next: [`Read ${state.definitionPath} on ${host.name} and carry over what matters.`, 'Or give the service another name.'],
  }
}

/** Stopping also disables: somebody's service would be gone after the next boot even though nothing of it runs now. */
function foreignTouch({ service, host, state, action }: ActionContext): Finding {
  return {
    consentable: false,
    why: `${state.definitionPath} on ${host.name} carries no mark of this inventory; to ${action.kind} ${service.name} would ${action.kind} what belongs to somebody else.`,
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
    why: `${state.definitionPath} on ${host.name} carries no mark of this inventory, and absent removes only what converge wrote.`,
    evidence: evidenceOf(state),
    next: [`Remove ${state.definitionPath} yourself if it is not needed, or take ${service.name} out of the inventory.`],
  }
}

/** Not a file in our place but something else of that name: there is nothing that an approval could let converge overwrite. */
function nameTaken({ service, host, state, action }: ActionContext): Finding {
  return {
    consentable: false,
    why: `Something on ${host.name} already has the name ${service.name} for its supervisor, and converge did not make it; to ${action.kind} the service would take it from its owner.`,
    evidence: [...evidenceOf(state), ...state.notes],
    next: [`Remove or rename what has that name on ${host.name}, or give the service another name.`],
  }
}

/** Somebody else's file in our place, and what runs from it is nothing that converge knows. */
function foreignFile({ manager, service, facts, fleet }: ServiceContext): DefinitionFile | undefined {
  const { org } = fleet.settings
  const paths = manager.asks(service, org).definitions
  return paths
    .map((path) => facts.definitions[path])
    .map((seen) => (seen?.known === true ? (seen.value ?? undefined) : undefined))
    .find((file) => file !== undefined && file.mark !== markOf(org, service.name))
}

function unseenForeign({ service, host }: ServiceContext, { path, digest }: DefinitionFile): Finding {
  return {
    consentable: false,
    why: `${path} on ${host.name} carries no mark of this inventory, and what runs from it is no model server that converge knows; it is left alone.`,
    evidence: [`${path} is there, SHA-256 ${digest.slice(0, 12)}, without our mark`],
    next: [`Read ${path} on ${host.name}; remove it if it is not needed, or give the service ${service.name} another name.`],
  }
}

/** Somebody else's file where the rule for newsyslog is to be written. */
function foreignRule({ fleet, facts, changes }: SettingContext): DefinitionFile | undefined {
  const { org } = fleet.settings
  const seen = facts.definitions[logRulePath(org)]
  const file = seen?.known === true ? (seen.value ?? undefined) : undefined
  return changes.some(({ field }) => field === logRuleField) && file?.mark !== logRuleMark(org) ? file : undefined
}

function foreignSetting({ host }: SettingContext, { path, digest }: DefinitionFile): Finding {
  return {
    consentable: false,
    why: `${path} on ${host.name} carries no mark of this inventory; to overwrite it would lose what somebody else wrote.`,
    evidence: [`${path} is there, SHA-256 ${digest.slice(0, 12)}, without our mark`],
    next: [`Read ${path} on ${host.name} and remove it if it is not needed, or set rotate_logs: false for ${host.name}.`],
  }
}

function evidenceOf({ definitionPath, definitionDigest }: ServiceState): readonly string[] {
  return definitionDigest === null
    ? []
    : [`${definitionPath} is there, SHA-256 ${definitionDigest.slice(0, 12)}, without our mark`]
}
