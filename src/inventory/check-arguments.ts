import { managers } from '../managers/index.ts'
import type { ManagerName } from '../model/names.ts'
import { flagWithValue } from '../servers/word-patterns.ts'
import type { HostFinding } from './issues.ts'
import { error, type ServiceToCheck } from './service-to-check.ts'
import type { YamlNode } from './yaml-node.ts'

/** Items of `extra_args` that no server accepts, or that cannot be distinguished from others once the server runs. */
export function checkArguments(service: ServiceToCheck, manager: ManagerName | undefined): readonly HostFinding[] {
  const list = service.merged.fields.get('extra_args')?.value
  if (list?.type !== 'list') return []
  return list.items.flatMap((item) => [...checkTwoInOne(service, item), ...checkFaults(service, item, manager)])
}

/** No shell splits an item, so a flag and its value must be two items. */
function checkTwoInOne(service: ServiceToCheck, item: YamlNode): readonly HostFinding[] {
  const [, flag, value = ''] = flagWithValue.exec(textOf(item)) ?? []
  if (flag === undefined) return []
  const items = [flag, ...(value === '' ? [] : [value])].map((word) => JSON.stringify(word)).join(', ')
  const words = (whom: string) =>
    `\`${textOf(item)}\` is one item of the \`extra_args\` of \`${service.name}\` on ${whom}, so the server gets it as one argument. Write it as: ${items}.`
  return [error(service, item, 'INPUT.VALUE', words)]
}

function checkFaults(service: ServiceToCheck, item: YamlNode, manager: ManagerName | undefined): readonly HostFinding[] {
  if (item.type !== 'scalar' || manager === undefined) return []
  const fault = managers[manager].faults.argument?.(textOf(item))
  if (fault === undefined) return []
  const words = (whom: string) => `An item of the \`extra_args\` of \`${service.name}\` on ${whom} ${fault}.`
  return [error(service, item, 'INPUT.VALUE', words)]
}

function textOf(item: YamlNode): string {
  return item.type === 'scalar' && typeof item.value === 'string' ? item.value : 'none'
}
