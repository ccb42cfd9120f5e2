import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { catalogue } from '../../src/errors/catalogue.ts'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import { loadInventory } from '../../src/load/load.ts'
import { whyText } from '../support/why-text.ts'
import { fixtureCases } from './fixture-cases.ts'

const cases = fixtureCases('inventory/invalid')

/** `expected.txt` in each folder is, word for word, what people see. */
describe('inventories that are not valid', () => {
  test.each(cases)('$name', async ({ folder, input }) => {
    const error = await failureOf(input)
    const shown = `${error.code} (exit ${catalogue[error.code].exit})  ${error.summary}\n${await whyText(error)}\n${error.next.join('\n')}\n`
    await expect(shown).toMatchFileSnapshot(resolve(join(folder, 'expected.txt')))
  })

  test('none of them shows a secret', async () => {
    const everything = await Promise.all(
      cases.map(async ({ input }) => {
        const error = await failureOf(input)
        return JSON.stringify([error.toProblem(), error.issues, error.message, await whyText(error)])
      }),
    )
    expect(everything.filter((text) => /sk-PLAIN|hunter[0-9]|1234567890/u.test(text))).toEqual([])
  })

  test('every issue has a code that is explained, and a place', async () => {
    const issues = (await Promise.all(cases.map(({ input }) => failureOf(input)))).flatMap((error) => error.issues)
    const known = Object.keys(catalogue)
    expect(issues.length).toBeGreaterThan(cases.length)
    expect(issues.filter(({ code, at }) => !known.includes(code) || at.line < 1 || at.column < 1)).toEqual([])
  })
})

async function failureOf(input: string): Promise<ConvergeError> {
  try {
    await loadInventory(input)
  } catch (error) {
    if (error instanceof ConvergeError) return error
    throw error
  }
  throw new Error(`${input} is valid`)
}
