import { userInfo } from 'node:os'
import { exitCodes } from '../../context/exit-code.ts'
import { managers } from '../../managers/index.ts'
import type { Layout } from '../../model/facts.ts'
import type { Host } from '../../model/fleet.ts'
import { unknown } from '../../model/observed.ts'
import { redactedText, Secret } from '../../model/secret.ts'
import { deliver } from '../../run/deliver.ts'
import { openFleet } from '../../run/open-fleet.ts'
import { withStopTimeout } from '../../servers/stop-timeout.ts'
import { findService } from '../find-service.ts'
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
          const { host, service: given } = findService(hosts, target, 'render')
          const service = withStopTimeout(given, unknown('not-gathered'))
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

/** Where things lie without having looked: as on a host that is set up the usual way. */
function assumedLayout(host: Host): Layout {
  const user = host.connection.user ?? userInfo().username
  const home = user === 'root' ? '/root' : host.platform === 'macos' ? `/Users/${user}` : `/home/${user}`
  const isRoot = host.connection.become ? host.connection.becomeUser === 'root' : user === 'root'
  const root = host.convergeDir?.replace(/^~(?=\/)/, home) ?? (isRoot ? '/etc/converge' : `${home}/.config/converge`)
  return { user, home, effectiveUid: isRoot ? 0 : 1000, root }
}
