import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { known } from '../../src/model/observed.ts'
import { judgeFetch } from '../../src/simulate/fetch/judge.ts'
import { bytesToFetch, filesOnHost } from '../../src/simulate/fetch/state.ts'
import { casesOf, seed } from '../support/series.ts'
import { digest, down, found, gib, listing, model, newer, pinned, pinnedModel, wanted } from './fetch-cases.ts'

const number = fc.nat({ max: 3 })
const paths = wanted.flatMap(({ path }, index) => {
  const stem = `${path}.${(['a', 'b'][index] ?? '').repeat(8)}`
  return [path, `${stem}.part`, `${stem}.piece-0`, `${stem}.piece-2`, `${stem}.piece-x`, `${path}.ffffffff.part`]
})
const arbitraryFound = fc.record({
  path: fc.constantFrom(...paths),
  bytes: fc.oneof(number, fc.constantFrom(7, 40 * gib, 2 ** 49)),
  inode: number.map(String),
  modified: number,
  changed: number,
})
const arbitraryFact = fc.record({
  files: fc.uniqueArray(arbitraryFound, { selector: ({ path }) => path }),
  digests: fc.uniqueArray(
    arbitraryFound.chain((one) => fc.constantFrom('a', 'b').map((letter) => ({ ...one, digest: digest(letter) }))),
    { selector: ({ path }) => path },
  ),
  job: fc.oneof(
    fc.constant(null),
    fc.record({
      state: fc.constantFrom('working' as const, 'done' as const, 'failed' as const, 'stopped' as const),
      alive: fc.boolean(),
      repo: fc.constantFrom('org/coder', 'org/x'),
      commit: fc.constantFrom(pinned, newer),
      files: fc.constantFrom(wanted, wanted.slice(0, 1), []),
    }),
  ),
})

it('is never complete without an equal stamp and digest of each file, and never more than its size is there', () => {
  const seen = { complete: 0, partial: 0 }
  fc.assert(
    fc.property(
      arbitraryFact,
      fc.boolean(),
      fc.constantFrom(listing, down, undefined),
      fc.boolean(),
      (fact, prove, asked, isPinned) => {
        const own = prove
          ? { ...fact, digests: fact.files.map((one) => ({ ...one, digest: digest(one.path.includes('/a.') ? 'a' : 'b') })) }
          : fact
        const files = filesOnHost(wanted, own)
        expect(bytesToFetch(files)).toBeGreaterThanOrEqual(0)
        for (const file of files) {
          expect(file.have).toBeGreaterThanOrEqual(0)
          expect(file.have).toBeLessThanOrEqual(file.bytes)
          if (file.state === 'partial') seen.partial += 1
          if (file.state !== 'complete') continue
          const { path, bytes, inode, modified, changed } = own.files.find((one) => one.path === file.path) ?? found('', 0)
          expect(own.digests).toContainEqual({ path, bytes, inode, modified, changed, digest: file.digest })
        }
        const about = {
          host: 'nas',
          model: isPinned ? pinnedModel : model,
          fact: known(own),
          ...(asked === undefined ? {} : { listing: asked }),
        }
        const { state } = judgeFetch(about)
        if (state !== 'complete') return
        seen.complete += 1
        const { job: record } = own
        const byHub = files.every((one) => one.state === 'complete')
        const byRecord =
          record !== null && record.files.length > 0 && record.repo === 'org/coder' && (!isPinned || record.commit === pinned)
        expect(asked === listing ? byHub : byRecord && (asked !== down || isPinned)).toBe(true)
      },
    ),
    { numRuns: casesOf({ short: 2000, long: 50_000 }), seed: seed ?? 1 },
  )
  expect(seen.complete).toBeGreaterThan(0)
  expect(seen.partial).toBeGreaterThan(0)
})
