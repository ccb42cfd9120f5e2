import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bytesSent } from '../../support/fake-hub/asked.ts'
import type { FakeContent } from '../../support/fake-hub/content.ts'
import { type FakeHub, type FakeHubOptions, startFakeHub } from '../../support/fake-hub.ts'
import { docker } from '../docker.ts'
import type { Lab } from '../hosts.ts'

export const repo = 'org/coder'
export const commit = 'c'.repeat(40)

/** The fake hub where both this machine and the hosts of a lab reach it. */
export interface LabHub extends AsyncDisposable {
  readonly hub: FakeHub
  /** Base URL. */
  readonly url: string
  /** `model.source` of its one repository. */
  source(more?: object): object
  /** Bytes of a file that were sent, and of how many different offsets. */
  sent(file: string): { readonly sent: number; readonly distinct: number }
}

export async function startLabHub(
  lab: Lab,
  files: Readonly<Record<string, FakeContent>>,
  options: FakeHubOptions = {},
): Promise<LabHub> {
  const hub = await startFakeHub({ [repo]: { at: { main: commit }, files } }, { host: '0.0.0.0', ...options })
  const gateway = await gatewayOf(lab)
  const url = hub.url.replace('127.0.0.1', gateway)
  return {
    hub,
    url,
    source: (more = {}) => ({ hub: url, repo, revision: commit, ...more }),
    sent: (file) => bytesSent(hub.askedAnywhere, `${repo}/${file}`),
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  }
}

const gateways = new WeakMap<Lab, Promise<string>>()

/** Where the hosts of a lab reach this machine. */
export function gatewayOf(lab: Lab): Promise<string> {
  const words = ['inspect', '--format', '{{range .NetworkSettings.Networks}}{{.Gateway}}{{end}}']
  const gateway = gateways.get(lab) ?? docker([...words, lab.coordinates[0]?.containerId ?? ''])
  gateways.set(lab, gateway)
  return gateway
}

/** The tiny model in three parts, as the hosts of the lab have it. */
export async function tinyShards(lab: Lab): Promise<Readonly<Record<string, Uint8Array>>> {
  const names = [1, 2, 3].map((part) => `tiny-0000${part}-of-00003.gguf`)
  const contents = await Promise.all(names.map((name) => readFile(join(lab.directory, 'models/tiny-sharded', name))))
  return Object.fromEntries(names.map((name, index) => [name, contents[index] ?? Buffer.of()]))
}
