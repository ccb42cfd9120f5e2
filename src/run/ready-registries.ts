import pLimit from 'p-limit'
import { ConvergeError } from '../errors/converge-error.ts'
import { hostBug } from '../errors/host-bug.ts'
import { askRegistries } from '../gather/ask-registries.ts'
import { isPinnedImage } from '../lib/image-name.ts'
import { managers } from '../managers/index.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host, Service } from '../model/fleet.ts'
import { type Observed, unknown } from '../model/observed.ts'
import type { RegistryAnswers, RegistryImage } from '../model/registry.ts'
import { effectiveHost } from '../simulate/effective-host.ts'
import type { UpgradeSource } from './plan-only.ts'
import type { Observation } from './planning-run.ts'
import type { UpgradeRollout } from './plays.ts'
import type { Run } from './run.ts'

/** What makes a run an upgrade. */
export function upgradeSource(run: Run, rollout: UpgradeRollout): UpgradeSource {
  return { rollout, ask: (services, facts) => readyRegistries(run, services, facts) }
}

/**
 * Asks, on each host, what the registries have under the names of the images that its services run. Like a hub's, their answers are requested once
 * per run, and all later planning of the run uses them: so every host gets the image that was shown.
 */
async function readyRegistries(run: Run, services: readonly Service[], facts: Observation): Promise<RegistryAnswers> {
  const limit = pLimit(run.flags.forks)
  const asked = run.open.hosts.map((host) =>
    limit(async () => {
      const seen = facts.get(host.name)
      if (seen === undefined || !('salt' in seen)) return []
      const images = imagesOf(effectiveHost(host, seen), services, run)
      if (images.length === 0) return []
      return [[host.name, await askFrom(run, host, seen, images)] as const]
    }),
  )
  return new Map((await Promise.all(asked)).flat())
}

function imagesOf(host: Host, services: readonly Service[], { open }: Run): readonly string[] {
  const { org } = open.fleet.settings
  const selected = new Set(services.filter((one) => one.host === host.name).map(({ name }) => name))
  const running = host.services.filter(({ name, state }) => selected.has(name) && state === 'running')
  const images = running.flatMap((service) => managers[service.manager].asks(service, org).images)
  return [...new Set(images)].filter((image) => !isPinnedImage(image))
}

async function askFrom(
  run: Run,
  host: Host,
  { containers }: HostFacts,
  images: readonly string[],
): Promise<Readonly<Record<string, Observed<RegistryImage>>>> {
  const docker = containers.known ? containers.value.engine?.path : undefined
  const all = (why: string) => Object.fromEntries(images.map((image) => [image, unknown('not-gathered', why)]))
  if (docker === undefined) return all('no container engine answers on the host')
  try {
    return await askRegistries(await run.connections.to(host), { docker, images }, run.context.signal)
  } catch (error) {
    if (run.context.signal.aborted && !(error instanceof ConvergeError)) throw error
    return all(hostBug(host.name, error).why)
  }
}
