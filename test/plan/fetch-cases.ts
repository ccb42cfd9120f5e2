import type { FetchFact, FetchJob, FoundFile, WantedFile } from '../../src/model/fetch.ts'
import type { Listing, SourcedModel } from '../../src/simulate/fetch/order.ts'

export const gib = 1024 ** 3
export const pinned = 'c'.repeat(40)
export const newer = 'e'.repeat(40)
export const digest = (letter: string) => ({ kind: 'sha256', hex: letter.repeat(64) }) as const

export const model: SourcedModel = {
  kind: 'B',
  path: '/m',
  source: { hub: 'https://hub', repo: 'org/coder', files: [], revision: 'main' },
  services: ['coder'],
}
export const pinnedModel: SourcedModel = { ...model, source: { ...model.source, revision: pinned } }
export const listing: Listing = {
  commit: pinned,
  files: [
    { path: 'a.safetensors', bytes: 40 * gib, digest: digest('a') },
    { path: 'sub/b.json', bytes: 7, digest: digest('b') },
  ],
}
export const wanted: readonly WantedFile[] = listing.files.map((file) => ({ ...file, name: file.path, path: `/m/${file.path}` }))
export const down = { code: 'HUB.UNREACHABLE', why: 'it does not answer.', next: [] }

export const found = (path: string, bytes: number, inode = '1'): FoundFile => ({ path, bytes, inode, modified: 2, changed: 3 })
export const job = (more: Partial<FetchJob> = {}): FetchJob => ({
  state: 'done',
  alive: false,
  repo: 'org/coder',
  commit: pinned,
  selection: [],
  files: wanted,
  ...more,
})
export const nothing: FetchFact = { files: [], digests: [], job: null }
export const whole: FetchFact = {
  files: wanted.map(({ path, bytes }) => found(path, bytes)),
  digests: wanted.map((file) => ({ ...found(file.path, file.bytes), digest: file.digest })),
  job: job(),
}
export const half: FetchFact = { files: [found('/m/a.safetensors.aaaaaaaa.part', 10 * gib)], digests: [], job: null }
