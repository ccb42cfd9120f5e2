import { ownMember } from '../../lib/own-member.ts'
import { isTidying } from '../../managers/tidying.ts'
import type { Action } from '../../model/action.ts'
import { compileInputOf } from '../../simulate/service-case.ts'
import type { ActionContext, Finding, Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const definitionShared: Rule = {
  code: 'DEFINITION.SHARED',
  severity: 'refuse',
  title: 'Your own file cannot be written.',
  explain:
    'The service is in a file of yours (`file`), perhaps beside others. converge replaces its lines there and leaves every other byte as it is. It cannot ' +
    'do that if the file is not YAML, if the service is not in lines of its own, or if other parts of the file refer to it. One run also writes such a ' +
    'file for one service only: the next run writes it for the other.',
  consentable: false,
  checkAction(context) {
    const { service, action } = context
    if (service.file === undefined || action.kind === 'noop' || action.kind === 'host-setting') return []
    const other = writtenBefore(context)
    if (other !== undefined) return [secondWrite(context, other)]
    return writes(action) ? unwritable(context) : []
  },
}

function writes(action: Action): boolean {
  if (action.kind === 'remove' || action.temporary !== undefined) return true
  return (action.kind === 'install' || action.kind === 'update') && !isTidying(action)
}

/** Another service of the file for which this plan has written it. */
function writtenBefore({ host, service, before }: ActionContext): string | undefined {
  const wrote = (name: string) => ownMember(before.services, name)?.wrote === true
  if (wrote(service.name)) return undefined
  return host.services.find(({ name, file }) => name !== service.name && file === service.file && wrote(name))?.name
}

function secondWrite({ service, host, state }: ActionContext, other: string): Finding {
  return {
    why: `This plan also changes ${other} in ${state.definitionPath} on ${host.name}. What ${service.name} needs can be planned when that is done.`,
    evidence: [inventoryLine(service, ['file'], `${service.name}: file ${state.definitionPath}`)],
    next: ['Apply, then plan again.'],
  }
}

function unwritable(context: ActionContext): readonly Finding[] {
  const { action, service, host, manager, state } = context
  const input = compileInputOf(context, action)
  const fault = input === undefined ? undefined : manager.writeFault?.(action, input)
  if (fault === undefined) return []
  return [
    {
      why: `${state.definitionPath} on ${host.name} cannot be written for ${service.name}. ${fault}`,
      evidence: [inventoryLine(service, ['file'], `${service.name}: file ${state.definitionPath}`)],
      next: [`Change ${state.definitionPath} on ${host.name} yourself, then plan again.`],
    },
  ]
}
