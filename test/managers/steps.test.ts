import { describe, expect, it } from 'vitest'
import { InternalError } from '../../src/errors/converge-error.ts'
import { compileCase, type StepsCase } from './given-steps.ts'
import { fixturePath, readCases } from './read-cases.ts'
import { scriptsOf, stepsText } from './steps-text.ts'

describe.each(['compose', 'systemd', 'launchd'] as const)('the steps of %s', (name) => {
  const cases = readCases<StepsCase>(`managers/${name}/steps`)

  it.each(cases)('%s', async (file, given) => {
    const group = compileCase(name, given)
    await expect(stepsText(group)).toMatchFileSnapshot(fixturePath(`managers/${name}/steps/${file}.expected`))
  })

  it('are made of these scripts', async () => {
    const scripts = cases.flatMap(([, given]) => scriptsOf(compileCase(name, given)))
    const distinct = new Map(scripts.map(([label, script]) => [script, label]))
    const text = [...distinct].map(([script, label]) => `# ${label}\n${script}\n`).join('\n')
    await expect(text).toMatchFileSnapshot(fixturePath(`managers/${name}/scripts.expected`))
  })

  const unknownKinds = ['noop', 'download', ...(name === 'launchd' ? [] : (['host-setting'] as const))] as const
  it.each(unknownKinds)('do not know %s', (kind) => {
    const service = { name: 'coder', kind: 'A', manager: name, image: 'i' } as const
    expect(() => compileCase(name, { service, before: null, action: { kind, relies_on: {} } })).toThrow(InternalError)
  })
})
