import { describe, expect, it } from 'vitest'
import { expectedOf, playStep, stepCases, stepFiles } from './step-cases.ts'

describe.each(stepFiles)('%s steps with /bin/sh', (file) => {
  it.each(stepCases(file))('$name', async (stepCase) => {
    expect(await playStep(stepCase, ['/bin/sh'])).toMatchObject(expectedOf(stepCase))
  })
})
