import { expect, it } from 'vitest'
import { recently } from '../../src/lib/recently.ts'

interface Named {
  readonly text: string
  readonly length: number
}

it('the latest results are kept, up to a length of all of them', () => {
  const asked: string[] = []
  const upper = recently(4, ({ text }: Named) => {
    asked.push(text)
    return text.toUpperCase()
  })
  const [ab, cd, ef, long] = ['ab', 'cd', 'ef', 'longer'].map((text) => ({ text, length: text.length }))
  for (const one of [ab, cd, ab, ef, ab, cd, long, long, ab]) if (one !== undefined) upper(one)
  // The last one is kept however long it is.
  expect(asked).toEqual(['ab', 'cd', 'ef', 'cd', 'longer', 'ab'])
})
