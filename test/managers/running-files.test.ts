import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { compareRunningFiles } from '../../src/managers/running-files.ts'
import type { HostFacts, Resident } from '../../src/model/facts.ts'
import { aHost, aService, type ServiceOptions, someFacts } from '../support/build.ts'
import { caseFiles } from '../support/case-files.ts'

/** `test/fixtures/managers/running-files.yaml`: what a process holds, what is on disk, and which of it was replaced. */
interface Case {
  readonly about: string
  readonly service?: ServiceOptions
  readonly process?: Partial<Resident>
  readonly startUnknown?: true
  readonly seenUnknown?: true
  readonly engine?: Partial<Resident>
  readonly inContainer?: true
  readonly executable?: unknown
  readonly model?: unknown
  readonly build?: string
  /** `running.executable: from` → to; absent: nothing differs. */
  readonly expected?: Readonly<Record<string, readonly [string, string | null]>>
}

const program = '/opt/llama/llama-server'
const [all] = caseFiles('managers', 'running-files.yaml')
const cases: readonly Case[] = parse(all?.text ?? '')

test.each(cases)(
  '$about',
  ({ service: given, process, engine, executable, model, build, inContainer, startUnknown, seenUnknown, expected = {} }) => {
    const service = aService({ manager: 'systemd', executable: program, ...given })
    const resident = {
      pid: 7,
      ppid: 1,
      start: '1',
      ...(startUnknown === true ? {} : { startedAt: 1000 }),
      ...(seenUnknown === true ? {} : { seenAt: 5000 }),
      user: 'op',
      command: 'llama-server',
      argv: [program],
      rssBytes: 1,
    }
    const main: Resident = { ...resident, role: service.kind, program: 'llama-server', ...process }
    const child: Resident = { ...resident, pid: 8, ppid: 7, role: 'engine', program: 'engine', ...engine }
    const props = { known: true, value: { build } }
    const over = {
      gatheredAt: new Date(0).toISOString(),
      residents: { known: true, value: engine === undefined ? [main] : [main, child] },
      executables: executable === undefined ? {} : { [program]: executable },
      models: model === undefined ? {} : { [service.model.path]: model },
      http: build === undefined ? {} : { [service.name]: { known: true, value: { props } } },
    }
    const facts: HostFacts = { ...someFacts(aHost({})), ...JSON.parse(JSON.stringify(over)) }
    const found = compareRunningFiles(service, facts, main, inContainer)
    expect(Object.fromEntries(found.map(({ field, from, to }) => [field, [from, to]]))).toEqual(expected)
    for (const { effect } of found) expect(effect).toBe(service.kind === 'A' ? 'cheap-restart' : 'costly-restart')
  },
)
