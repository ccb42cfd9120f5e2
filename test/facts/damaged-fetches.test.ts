import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readFetch } from '../../src/facts/fetches.ts'
import { isProved } from '../../src/model/fetch.ts'
import { casesOf, seed } from '../support/series.ts'

const about = JSON.stringify({ repo: 'org/coder', commit: 'c'.repeat(40), model: '/m', services: ['coder'] })
const sha = (letter: string) => letter.repeat(64)
const stamp = (number: number) => `${number} ${number + 10} ${number + 20} ${number + 30}`
const lines = [
  'path /m',
  'state there',
  'files 3',
  `file ${stamp(1)} ./a.gguf`,
  `file ${stamp(2)} ./b.gguf`,
  `file ${stamp(3)} ./c.gguf.cccccccc.part`,
  'job there',
  'digests 3',
  `digest sha256 ${sha('a')} ${stamp(1)} /m/a.gguf`,
  `digest sha256 ${sha('b')} ${stamp(9)} /m/b.gguf`,
  `digest git ${'d'.repeat(40)} ${stamp(2)} /m/b.gguf`,
  'said working /m/c.gguf',
  'alive yes',
  'hashed 1',
  `about ${about}`,
  'wants 4',
  `want 1 sha256 ${sha('a')} /m/a.gguf`,
  `want 2 sha256 ${sha('b')} /m/b.gguf`,
  `want 30 sha256 ${sha('c')} /m/c.gguf`,
  `want 4 git ${'e'.repeat(40)} /m/d.gguf`,
  'end',
]

const place = fc.nat({ max: lines.length - 1 })
const damage = fc.oneof(
  fc.record({ kind: fc.constantFrom<'drop' | 'double' | 'end'>('drop', 'double', 'end'), at: place }),
  fc.record({ kind: fc.constant<'cut'>('cut'), at: place, length: fc.nat({ max: 120 }) }),
  fc.record({ kind: fc.constant<'swap'>('swap'), at: place, to: place }),
)

it('of an answer that was damaged nothing is known to be complete that is not, and no job is lost that works', () => {
  const whole = readFetch(lines)
  if (!whole.known || whole.value.job === null) throw new Error('it is to be known')
  const wants = whole.value.job.files
  const proved = wants.filter((file) => isProved(file, whole.value))
  expect(proved.map(({ path }) => path)).toEqual(['/m/a.gguf'])
  let knownOnes = 0
  fc.assert(
    fc.property(fc.array(damage, { minLength: 1, maxLength: 4 }), (all) => {
      const damaged = all.reduce<readonly string[]>((now, one) => {
        const here = now[one.at] ?? ''
        if (one.kind === 'drop') return now.toSpliced(one.at, 1)
        if (one.kind === 'double') return now.toSpliced(one.at, 0, here)
        if (one.kind === 'cut') return now.with(Math.min(one.at, now.length - 1), here.slice(0, one.length))
        if (one.kind === 'swap')
          return now.map((line, index) => (index === one.at ? (now[one.to] ?? line) : index === one.to ? here : line))
        return now.slice(0, one.at + 1)
      }, lines)
      const fact = readFetch(damaged)
      if (!fact.known) return true
      knownOnes += 1
      const { job } = fact.value
      const named = [...wants, ...(job?.files ?? [])].filter((file) => isProved(file, fact.value))
      const isTrue = named.every(({ path, digest }) => path === '/m/a.gguf' && digest.hex === sha('a'))
      const isWhole = job?.files.every((file) => isProved(file, fact.value)) ?? true
      return isTrue && !isWhole && job?.alive === true && job.state === 'working' && job.files.length === wants.length
    }),
    { numRuns: casesOf({ short: 5000, long: 200_000 }), seed: seed ?? 1 },
  )
  expect(knownOnes).toBeGreaterThan(100)
})
