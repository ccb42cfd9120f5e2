import { folderOfPath } from '../../lib/posix-path.ts'
import type { Container, HostFacts, Resident } from '../../model/facts.ts'
import type { ServerKindName } from '../../model/names.ts'
import type { SurveyedProcess } from '../../model/survey.ts'
import { startedModel } from '../../servers/as-started.ts'
import type { StartedServer } from '../../servers/read-back.ts'
import { flagOf, servedBy, viewOf } from './meaning.ts'
import { mountIn } from './parts-of-block.ts'
import { portsOf } from './seen.ts'

/**
 * What runs in a container as a service of the inventory has it: the model, the port and the address are those of the host, and files beside the
 * model are in /models.
 *
 * @param kind of the server
 */
export function startedInContainer(
  { resident, surveyed, facts }: StartedProcess,
  container: Container,
  kind: ServerKindName,
): StartedServer {
  const view = viewOf(container.binds.flatMap((bind) => mountIn(bind) ?? []))
  const env = surveyed?.env ?? resident.env
  const argv = resident.argv.map((word, index) => (index === 0 ? word : view.onHost(word)))
  const variables = env && Object.fromEntries(Object.entries(env).map(([name, value]) => [name, view.onHost(value)]))
  const model = startedModel({ argv, env: variables })
  const published = publishedPort(container, resident.port)
  const address = published === undefined ? undefined : addressOf(published, facts)
  return {
    argv: [
      ...argv.map((word) => (model === undefined ? word : besideModel(word, model))),
      ...(published === undefined ? [] : [flagOf(kind, 'port'), String(published)]),
      ...(address === undefined ? [] : [flagOf(kind, 'host'), address]),
    ],
    env: variables,
  }
}

/** The port of the host for the one that a server listens on in its container; of an unknown one, the only one. */
export function publishedPort(container: Container, inside: number | undefined): number | undefined {
  const served = servedBy(portsOf(container), inside === undefined ? undefined : String(inside))
  return served === undefined ? undefined : Number(served.published)
}

interface StartedProcess {
  readonly resident: Resident
  readonly surveyed: SurveyedProcess | undefined
  readonly facts: Pick<HostFacts, 'listeners'>
}

/** Converge mounts the folder of the model at /models. */
function besideModel(word: string, model: string): string {
  const [, flag = '', path = ''] = /^(--?[A-Za-z][\w-]*=)?(.*)$/s.exec(word) ?? []
  const folder = folderOfPath(model)
  return path !== model && path.startsWith(`${folder}/`) ? `${flag}/models${path.slice(folder.length)}` : word
}

/** On which the engine listens; undefined: it does not show, as with a firewall rule alone. */
function addressOf(port: number, { listeners }: Pick<HostFacts, 'listeners'>): string | undefined {
  const addresses = listeners.known ? listeners.value.filter((one) => one.port === port).map(({ address }) => address) : []
  return addresses.some((one) => one === '0.0.0.0' || one === '::' || one === '*') ? '0.0.0.0' : addresses[0]
}
