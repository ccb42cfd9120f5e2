import { userInfo } from 'node:os'
import { exitCodes } from '../../context/exit-code.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { nearest } from '../../inventory/did-you-mean.ts'
import { converge } from '../../lib/next-command.ts'
import { managers } from '../../managers/index.ts'
import type { Layout } from '../../model/facts.ts'
import type { Host, Service } from '../../model/fleet.ts'
import { redactedText, Secret } from '../../model/secret.ts'
import { deliver } from '../../run/deliver.ts'
import { openFleet } from '../../run/open-fleet.ts'
import { withInventory, withOutput } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge render SERVICE[@HOST]`: from the inventory alone; keys are shown as `***`. */
export const verb: Verb = {
  configure(command, finish) {
    withOutput(withInventory(command))
      .argument('<service[@host]>', 'a service; HOST may be omitted if only one host has it')
      .action((target, options) =>
        finish(async (context) => {
          const { fleet, hosts } = await openFleet(context, options)
          const { host, service } = find(hosts, target)
          const manager = managers[service.manager]
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
          context.err.writeProse(`${definition.path}  (mode ${mode}; commands run as ${account}, as the inventory has it)\n`)
          await deliver({ context, flags: options }, { document, text: (paint) => paint.whole(content) })
          return exitCodes.done
        }),
      )
  },
}

interface Target {
  readonly host: Host
  readonly service: Service
}

/** @throws ConvergeError `USAGE.RENDER` where it names nothing, or more than one */
function find(hosts: readonly Host[], target: string): Target {
  const [name = '', at] = target.split('@')
  const all = hosts.flatMap((host) => host.services.map((service): Target => ({ host, service })))
  const found = all.filter(({ host, service }) => service.name === name && (at === undefined || host.name === at))
  const [only, ...others] = found
  if (only === undefined) throw noSuch(target, at === undefined ? all.map(({ service }) => service.name) : all.map(nameOf))
  if (others.length > 0) throw onSeveral(name, found)
  return only
}

function nameOf({ host, service }: Target): string {
  return `${service.name}@${host.name}`
}

function noSuch(target: string, known: readonly string[]): ConvergeError {
  const meant = nearest(target, known)
  return new ConvergeError('USAGE.RENDER', {
    summary: 'There is no such service on this host.',
    why: `The inventory has no ${target}.`,
    next: [
      ...(meant === undefined ? [] : [`Did you mean ${meant}?`]),
      converge(['hosts', '--json'], { note: 'lists hosts and their services' }),
    ],
  })
}

/** So many are named; the rest is counted. */
const mostNamed = 10

function onSeveral(name: string, found: readonly Target[]): ConvergeError {
  const more = found.length - mostNamed
  return new ConvergeError('USAGE.RENDER', {
    summary: 'Several hosts have a service with this name.',
    why: `${name} is on ${found.length} hosts, and each has a definition of its own.`,
    next: [
      ...found.slice(0, mostNamed).map((one) => converge(['render', nameOf(one)])),
      ...(more > 0 ? [converge(['hosts', '--json'], { say: `… and ${more} more:` })] : []),
    ],
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
