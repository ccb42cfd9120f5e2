import { describe, expect, it } from 'vitest'
import type { Container, Listener, Resident } from '../../src/model/facts.ts'
import { known, type Observed, unknown } from '../../src/model/observed.ts'
import { judgePortOwner } from '../../src/verify/port-owner.ts'

const listener = (pid: Observed<number>, process?: string): Listener => ({
  address: '0.0.0.0',
  port: 9990,
  pid,
  ...(process === undefined ? {} : { process }),
})

const resident = (pid: number, ppid: number, container?: string): Resident => ({
  pid,
  ppid,
  start: '1',
  user: 'op',
  command: 'llama-server',
  argv: [],
  rssBytes: 0,
  role: 'A',
  program: 'llama-server',
  ...(container === undefined ? {} : { container }),
})

const container = (changes: Partial<Container> = {}): Container => ({
  id: 'abcdef0123456789',
  name: 'coder',
  image: 'x',
  state: 'running',
  health: 'none',
  exitCode: 0,
  restartCount: 0,
  oomKilled: false,
  pid: 100,
  startedAt: '',
  entrypoint: [],
  command: [],
  restartPolicy: '',
  binds: [],
  ports: ['9990:9990'],
  labels: {},
  ...changes,
})

const factsOf = (
  listeners: readonly Listener[],
  residents: readonly Resident[] = [],
  containers: readonly Container[] = [container()],
) => ({
  listeners: known(listeners),
  residents: known(residents),
  containers: known({ engine: null, containers, images: {} }),
})

const unit = { name: 'coder', port: 9990, manager: 'systemd' } as const
const box = { name: 'coder', port: 9990, manager: 'compose' } as const
const hidden = unknown('not-permitted')

describe('the owner of the port', () => {
  it.each([
    [
      'the managed process',
      unit,
      factsOf([listener(known(42))]),
      { pid: 42 },
      { ok: true, detail: 'port 9990 belongs to process 42' },
    ],
    ['its child', unit, factsOf([listener(known(44))], [resident(44, 43), resident(43, 42)]), { pid: 42 }, { ok: true }],
    ['an orphan', unit, factsOf([listener(known(44), 'llama-server')], [resident(44, 1)]), { pid: 42 }, { ok: false }],
    ['a process, while nothing is managed', unit, factsOf([listener(known(44))]), null, { ok: false }],
    ['no process', unit, factsOf([]), { pid: 42 }, { ok: false, detail: 'nothing listens on port 9990' }],
    ['a process that may not be seen', unit, factsOf([listener(hidden)]), { pid: 42 }, { ok: true, skipped: expect.any(String) }],
    ['two, one of them foreign', unit, factsOf([listener(known(42)), listener(known(7))]), { pid: 42 }, { ok: false }],
    ['the proxy of its container', box, factsOf([listener(known(9), 'docker-proxy')]), { pid: 100 }, { ok: true }],
    [
      'its container, by the engine alone',
      box,
      factsOf([listener(hidden)]),
      { pid: 100 },
      { ok: true, detail: 'container coder publishes port 9990' },
    ],
    [
      'its container on the network of the host',
      box,
      factsOf([listener(known(5))], [resident(5, 4, 'abcdef012345')]),
      null,
      { ok: true },
    ],
    [
      'a foreign process beside its container',
      box,
      factsOf([listener(known(5), 'nginx')], [], [container()]),
      { pid: 100 },
      { ok: false },
    ],
    [
      'a container that publishes another port',
      box,
      factsOf([listener(hidden)], [], [container({ ports: ['9991:9990'] })]),
      null,
      { ok: false },
    ],
    [
      'a container bound to one address',
      box,
      factsOf([listener(hidden)], [], [container({ ports: ['127.0.0.1:9990:9990'] })]),
      null,
      { ok: true },
    ],
    ['a container that is not up', box, factsOf([listener(hidden)], [], [container({ state: 'exited' })]), null, { ok: false }],
  ])('%s', (_name, service, facts, process, verdict) => {
    expect(judgePortOwner(service, facts, process)).toMatchObject(verdict)
  })

  it('is unknown if containers cannot be seen', () => {
    const facts = { ...factsOf([listener(hidden)]), containers: unknown('not-permitted', 'no right to ask docker') }
    expect(judgePortOwner(box, facts, null)).toMatchObject({ ok: true, skipped: expect.stringContaining('no right') })
  })

  it('is unknown if listeners cannot be seen', () => {
    const facts = { ...factsOf([]), listeners: unknown('no-such-tool', 'neither ss nor lsof') }
    expect(judgePortOwner(unit, facts, { pid: 1 })).toMatchObject({
      ok: true,
      skipped: expect.stringContaining('neither ss nor lsof'),
    })
  })
})
