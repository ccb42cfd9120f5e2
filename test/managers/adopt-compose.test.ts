import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import type { ServiceOptions } from '../support/build.ts'
import { planInputOf } from '../support/scenario.ts'
import { readCases } from './read-cases.ts'

interface BlockCase {
  readonly about: string
  readonly service?: ServiceOptions
  readonly block?: Readonly<Record<string, unknown>>
  readonly more?: Readonly<Record<string, unknown>>
  /** The whole file, where the notation matters. */
  readonly text?: string
  readonly not?: readonly string[]
}

const cases = readCases<readonly BlockCase[]>('managers/compose/adopt').flatMap(([, all]) => all)
const file = '/srv/ai/compose.yaml'
const reachable = { port: 9990, alias: 'qwen', bind: '127.0.0.1', key: undefined, model: { path: '/srv/models/qwen.gguf' } }

it.each(cases)('whether a compose service that a person wrote is adopted: $about', ({ service, block, more, text, not }) => {
  const coder: ServiceOptions = { ...reachable, file, fileService: 'llama', ...service }
  const written = text ?? stringify({ services: { llama: { restart: 'unless-stopped', ...block, ...more } } })
  const plan = planFleet(
    planInputOf({
      about: '',
      was: { coder: { file, fileService: 'llama' } },
      services: { coder },
      theirs: { coder: { text: written } },
    }),
  )
  const [host] = plan.hosts
  const says = (host?.refusals ?? [])
    .filter(({ code }) => code === 'DEFINITION.FOREIGN')
    .flatMap(({ evidence }) => evidence)
    .filter((one) => one.startsWith('not adopted'))
  const missing = (not ?? []).filter((words) => !says.join('\n').includes(words))
  const does = (host?.actions ?? []).map(({ kind }) => kind)
  const expected = not === undefined ? { says: [], does: ['adopt'], missing } : { says, does: [], missing: [] }
  expect({ says, does, missing }).toEqual(expected)
})
