import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readContainer } from '../../src/managers/compose/supervisor.ts'
import { readAgent } from '../../src/managers/launchd/supervisor.ts'
import { readUnit } from '../../src/managers/systemd/supervisor.ts'

interface LifeCase {
  readonly of: 'compose' | 'systemd' | 'launchd'
  readonly exitCode?: number
  readonly stdout?: string
  readonly stderr?: string
  readonly is: Readonly<Record<string, unknown>>
}

const cases: readonly LifeCase[] = parse(readFileSync(new URL('../fixtures/verify/life-signs.yaml', import.meta.url), 'utf8'))
const readers = { compose: readContainer, systemd: readUnit, launchd: readAgent }

describe('the life of a process by the word of its supervisor', () => {
  it.each(cases.map((lifeCase) => [`${lifeCase.of}: ${JSON.stringify(lifeCase.is)}`, lifeCase] as const))(
    '%s',
    (_name, lifeCase) => {
      const { exitCode = 0, stdout = '', stderr = '' } = lifeCase
      expect(readers[lifeCase.of]({ exitCode, stdout, stderr })).toMatchObject(lifeCase.is)
    },
  )
})
