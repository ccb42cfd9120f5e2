import { wordIn } from '../../managers/one-by-setting.ts'
import { serverKinds } from '../../servers/index.ts'
import { settingOfFlag } from '../../servers/setting.ts'
import { takeoverOf } from '../../simulate/takeover-of.ts'
import type { Finding, InventoryContext, Rule, ServiceContext } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const keyVisible: Rule = {
  code: 'KEY.VISIBLE',
  severity: 'warn',
  title: 'The key is visible in the definition and in the process list.',
  explain:
    'With `key_delivery: inline`, the key is part of the definition file. Everyone on the host can read it there or in the output of `ps`, ' +
    '`docker inspect` or `systemctl show`. `key_delivery: file` (the default) keeps it in a file that only the server reads. A server that was ' +
    'adopted with its key on the command line keeps it there until converge writes its definition.',
  consentable: false,
  checkInventory: inlineKey,
  checkService: (context) => [...inlineKey(context), ...keyOfAdopted(context)],
}

function inlineKey({ service }: InventoryContext): readonly Finding[] {
  if (service.key === undefined || service.keyDelivery !== 'inline') return []
  return [
    {
      why: `The key of ${service.name} is delivered inline, so every user of ${service.host} can read it.`,
      evidence: [inventoryLine(service, ['key_delivery'], `${service.name}: key_delivery inline`)],
      next: [`Set key_delivery: file for ${service.name}.`],
    },
  ]
}

/** A definition that converge did not write may pass the key on the command line. */
function keyOfAdopted(context: ServiceContext): readonly Finding[] {
  const { service, host } = context
  const takeover = takeoverOf(context)
  if (takeover?.known !== true || service.keyDelivery === 'inline') return []
  const { fields } = serverKinds[service.kind]
  const shown = takeover.value.waits.find(
    (change) => change.field.startsWith('running.command.') && settingOfFlag(fields, wordIn(change))?.key === 'key',
  )
  if (shown === undefined) return []
  return [
    {
      why: `The key of ${service.name} is on the command line of its server, where every user of ${host.name} can read it.`,
      evidence: [`its running server has ${wordIn(shown)}`],
      next: ['It stays there until a change makes converge write the definition, and the server restarts.'],
    },
  ]
}
