import { describe, expect, it } from 'vitest'
import { facts } from '../../src/facts/index.ts'
import { known } from '../../src/model/observed.ts'
import { readFactCases } from './fact-cases.ts'
import { question } from './question-with.ts'

/** Each case is a file: what a section printed, and the fact that is in it. */
describe.each(Object.entries(facts))('the parser of %s', (name, fact) => {
  it.each(readFactCases(name))('$about ($file)', ({ section, asked, expected }) => {
    expect(fact.parse(known(section), { question: question(asked) })).toEqual(expected)
  })
})
