import { expect, it } from 'vitest'
import { wholeOrPart } from '../../src/context/report-bug.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import { known } from '../../src/model/observed.ts'
import { renderFacts } from '../../src/report/facts-text.ts'
import { hostBlocks } from '../../src/report/host-blocks.ts'
import { hostOverview } from '../../src/report/host-overview.ts'
import { noPaint } from '../../src/report/paint.ts'
import { aHost, someFacts } from '../support/build.ts'

function factsOf(host: string, totalBytes: number): HostFacts {
  return { ...someFacts(aHost({ name: host })), host, memory: known({ totalBytes, availableBytes: 1 }) }
}

it('a host that cannot be rendered does not affect the others, and the program exits with 1', () => {
  const said: string[] = []
  const bugs: unknown[] = []
  const text = wholeOrPart(
    { bugs, err: { paint: noPaint, writeProse: (words: string) => void said.push(words) } as never },
    () => {
      const { blocks, finish } = hostBlocks(
        [factsOf('nas', Number.NaN), factsOf('box', 1)],
        (one) => renderFacts(one, noPaint),
        noPaint,
      )
      return finish(blocks.join('\n'))
    },
  )
  expect(text).toMatch(/nas {2}unreachable\n {2}INTERNAL\.HOST[^]*box\n[^]*1 B available of 1 B/)
  expect(bugs).toEqual([expect.any(TypeError)])
  expect(said.join('')).toContain('This is a bug in converge')
})

it('in a report such a host has its problem', () => {
  const overview = hostOverview('nas', () => {
    throw new RangeError('too far')
  })
  expect(overview).toMatchObject({
    host: 'nas',
    tone: 'bad',
    problem: { code: 'INTERNAL.HOST', why: expect.stringContaining('too far') },
  })
})
