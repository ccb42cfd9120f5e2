import { userInfo } from 'node:os'
import { ConvergeError } from '../../errors/converge-error.ts'
import { nearest } from '../../inventory/did-you-mean.ts'
import { managerFor } from '../../managers/index.ts'
import type { Layout } from '../../model/facts.ts'
import type { Host, Service } from '../../model/fleet.ts'
import { redactedText, Secret } from '../../model/secret.ts'
import { deliver } from '../deliver.ts'
import { exitCodes } from '../exit-code.ts'
import { openFleet } from '../open-fleet.ts'
import { withInventory, withOutput } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge render SERVICE@HOST`: from the inventory alone; keys are shown as `***`. */
export const verb: Verb = {
  configure(command, finish) {
    withOutput(withInventory(command))
      .argument('<service@host>', 'which definition')
      .action((target, options) =>
        finish(async (context) => {
          const { fleet, hosts } = await openFleet(context, { inventory: options.inventory })
          const { host, service } = find(hosts, target)
          const manager = managerFor(service.manager)
          if (manager === undefined) throw noManager(service)
          const layout = assumedLayout(host)
          const key = service.key === undefined ? undefined : new Secret('', 'not resolved')
          const { definition } = manager.render({ service, settings: fleet.settings, layout, key })
          const content = redactedText(definition.content)
          const mode = definition.mode.toString(8).padStart(4, '0')
          const document = {
            schema: 'converge/render/v1',
            host: host.name,
            service: service.name,
            path: definition.path,
            mode,
            content,
          }
          const account = layout.effectiveUid === 0 ? 'root' : layout.user
          context.err.write(`${definition.path}  (mode ${mode}; commands run as ${account}, as the inventory has it)\n`)
          await deliver({ context, flags: options }, { document, text: () => content })
          return exitCodes.done
        }),
      )
  },
}

function find(hosts: readonly Host[], target: string): { host: Host; service: Service } {
  const [name = '', at = ''] = target.split('@')
  const host = hosts.find((one) => one.name === at)
  const service = host?.services.find((one) => one.name === name)
  if (host !== undefined && service !== undefined) return { host, service }
  const all = hosts.flatMap((one) => one.services.map((other) => `${other.name}@${one.name}`))
  const meant = nearest(target, all)
  throw new ConvergeError('USAGE.RENDER', {
    summary: 'There is no such service on such a host.',
    why: `The inventory has no ${target}.`,
    next: [...(meant === undefined ? [] : [`Did you mean ${meant}?`]), 'converge hosts --json    lists hosts and their services'],
  })
}

function noManager(service: Service): ConvergeError {
  return new ConvergeError('USAGE.RENDER', {
    summary: 'There is no definition to render.',
    why: `${service.name} on ${service.host} is managed by ${service.manager}, which this version does not have.`,
    next: ['converge explain MANAGER.UNSUPPORTED'],
  })
}

/** Where things lie without having looked: as on a host that is set up the usual way. */
function assumedLayout(host: Host): Layout {
  const user = host.connection.user ?? userInfo().username
  const home = user === 'root' ? '/root' : host.platform === 'macos' ? `/Users/${user}` : `/home/${user}`
  const isRoot = host.connection.become ? host.connection.becomeUser === 'root' : user === 'root'
  const root = host.convergeDir?.replace(/^~(?=\/)/, home) ?? (isRoot ? '/etc/converge' : `${home}/.config/converge`)
  return { user, home, effectiveUid: isRoot ? 0 : 1000, root }
}
