import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FetchDocument } from '../../../src/model/fetch-document.ts'
import { sha256Of } from '../../support/fake-hub/content.ts'
import type { FileMood } from '../../support/fake-hub/mood.ts'
import { isLong } from '../../support/series.ts'
import { mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { digestOn, filesIn } from './fetch-runs.ts'
import { type LabHub, startLabHub } from './lab-hub.ts'
import { kindA, machine, openSite, type Site } from './site.ts'

/** What a hub does wrong at first, and what comes of it; the code is of a download that failed. */
interface Trouble {
  readonly resolve?: readonly FileMood[]
  readonly cdn?: readonly FileMood[]
  /** Absent: the model is complete, and right. */
  readonly code?: string
  /** Fetchers of which this is known; absent: all. */
  readonly of?: readonly Fetcher[]
  /** Those whose own program meets the same trouble in `test/fetch/` as well: they meet it here in a long series. */
  readonly long?: readonly Fetcher[]
}

type Fetcher = 'curl' | 'wget' | 'hf'

/** Each shows itself to the job of one model: how a file begins was looked at before. */
const troubles: Readonly<Record<string, Trouble>> = {
  works: {},
  slow: { cdn: [{ slow: 250_000 }] },
  cut: { cdn: [{ cut: 150_000 }, {}], long: ['curl', 'wget'] },
  stalls: { cdn: [{ hang: 100_000 }, {}], of: ['curl', 'wget'], long: ['curl', 'wget'] },
  busy: {
    resolve: [{ busy: { by: 'ratelimit', seconds: 3 } }, {}],
    cdn: [{ busy: { by: 'retry-after', seconds: 3 } }, {}],
    long: ['curl'],
  },
  fails: { resolve: [{ status: 500 }, {}], cdn: [{ status: 503 }, {}], long: ['curl'] },
  expired: { cdn: [{ status: 403 }, {}], of: ['curl', 'wget'], long: ['curl'] },
  proxy: { cdn: [{ html: 200 }, {}], long: ['wget'] },
  'whole-once': { cdn: [{ whole: true }, {}], long: ['wget'] },
  'other-part': { cdn: [{ start: 7 }, {}], of: ['curl', 'wget'], long: ['curl', 'wget'] },
  flips: { cdn: [{ flip: 1000 }, {}], long: ['curl'] },
  'ranges-only': { cdn: [{ rangeOnly: true }], of: ['curl', 'wget'], long: ['curl', 'wget'] },
  elsewhere: { resolve: [{ redirect: 'elsewhere' }], of: ['curl', 'hf'] },
  gated: { resolve: [{ gated: 'terms' }], code: 'MODEL.GATED', of: ['curl', 'hf'] },
  denied: { resolve: [{ status: 403 }], code: 'HUB.DENIED', long: ['curl'] },
  absent: { resolve: [{ status: 404 }], code: 'HUB.ABSENT', of: ['curl', 'wget'], long: ['curl'] },
  short: { cdn: [{ status: 416 }], code: 'HUB.UNREADABLE', of: ['curl', 'wget'], long: ['curl'] },
  'other-etag': { resolve: [{ changed: 'etag' }], code: 'MODEL.DIGEST_MISMATCH', of: ['curl'] },
}

const content = (name: string) => ({ bytes: 1_200_000, seed: name })
const folders: Readonly<Record<Fetcher, string>> = {
  curl: '/srv/models/by-curl',
  hf: '/srv/models/by-hf',
  wget: '/home/op/models',
}

interface Case {
  readonly trouble: string
  readonly fetcher: Fetcher
  readonly code: string | undefined
  readonly name: string
}

const every: readonly Fetcher[] = ['curl', 'wget', 'hf']
const cases = Object.entries(troubles).flatMap(([trouble, { of = every, long = [], code }]) =>
  of
    .filter((fetcher) => isLong || !long.includes(fetcher))
    .map((fetcher): Case => ({ trouble, fetcher, code, name: `${trouble}-${fetcher}` })),
)

function servicesOf(own: readonly Case[], hubs: ReadonlyMap<string, LabHub>) {
  return Object.fromEntries(
    own.map(({ name, fetcher }, index) => {
      const source = hubs.get(name)?.source({ fetcher: fetcher === 'hf' ? 'hub' : 'http' })
      return [name, kindA({ port: 20_000 + index, model: { path: `${folders[fetcher]}/${name}.gguf`, source } })]
    }),
  )
}

/** One run for all: what waits for a minute does so beside the others. */
describe.skipIf(noLab)('a hub with every trouble', () => {
  let lab: Lab
  let site: Site
  const hubs = new Map<string, LabHub>()
  let models: FetchDocument['models'] = []

  beforeAll(async () => {
    lab = await startLab([
      { name: 'metal', kind: 'metal' },
      { name: 'busybox', kind: 'busybox' },
    ])
    site = await openSite(lab.sshConfigFile)
    for (const { trouble, name } of cases) {
      // oxlint-disable-next-line no-await-in-loop -- each listens for itself
      const hub = await startLabHub(lab, { [`${name}.gguf`]: content(name) })
      const { resolve, cdn } = troubles[trouble] ?? {}
      if (resolve !== undefined) hub.hub.behaveFor('resolve', {}, ...resolve)
      if (cdn !== undefined) hub.hub.behaveFor('cdn', {}, ...cdn)
      hubs.set(name, hub)
    }
    const [bare, others] = [cases.filter(({ fetcher }) => fetcher === 'wget'), cases.filter(({ fetcher }) => fetcher !== 'wget')]
    await site.write({
      metal: machine(servicesOf(others, hubs)),
      busybox: machine(servicesOf(bare, hubs), { ansible_become: false }),
    })
    const { stdout } = await site.run(['fetch', '--follow', '--json'], { timeoutMs: 280_000 })
    const document: FetchDocument = JSON.parse(stdout)
    models = document.models
  })

  afterAll(async () => {
    await site?.dispose()
    await Promise.all([...hubs.values()].map((hub) => hub[Symbol.asyncDispose]()))
    await lab?.stop()
  })

  it('is met by the real programs', async () => {
    expect(await mustExec(lab.host('metal'), 'hf version && curl --version')).toMatch(/\d+\.\d+\.\d+[^]*curl \d/)
    expect(await mustExec(lab.host('busybox'), 'command -v curl || wget 2>&1 | head -n 1; :')).toContain('BusyBox')
  })

  it.each(cases.filter(({ code }) => code === undefined))('$fetcher gets the right file: $trouble', async ({ name, fetcher }) => {
    const host = lab.host(fetcher === 'wget' ? 'busybox' : 'metal')
    expect(models.find(({ services }) => services.includes(name))).toMatchObject({ state: 'complete' })
    expect(await digestOn(host, `${folders[fetcher]}/${name}.gguf`)).toBe(await sha256Of(content(name)))
    const files = Object.keys(await filesIn(host, folders[fetcher]))
    expect(files.filter((one) => one.startsWith(`${name}.`))).toEqual([`${name}.gguf`])
  })

  it.each(cases.filter(({ code }) => code !== undefined))(
    '$fetcher gets nothing, and says why: $trouble',
    async ({ name, fetcher, code }) => {
      const host = lab.host(fetcher === 'wget' ? 'busybox' : 'metal')
      expect(models.find(({ services }) => services.includes(name))).toMatchObject({ state: 'failed', problem: { code } })
      expect(Object.keys(await filesIn(host, folders[fetcher]))).not.toContain(`${name}.gguf`)
    },
  )
})
