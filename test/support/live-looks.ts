import type { LiveHost, LiveLook, LiveService } from '../../src/report/live-status.ts'

const gibibyte = 1024 ** 3

/** Values for pure tests of the live table: everything has a sensible default. */
export function aLiveService(given: Partial<LiveService> = {}): LiveService {
  return {
    host: 'mini',
    service: 'coder',
    kind: 'A',
    manager: 'launchd',
    wanted: 'running',
    state: 'running',
    port: 9990,
    pid: 412,
    warm: 'warm',
    health: 'ready',
    version: null,
    image: null,
    notes: [],
    busy: 1,
    slots: 4,
    tokensPerS: 38.25,
    residentBytes: 9.4 * gibibyte,
    limitBytes: 32 * gibibyte,
    upS: 277_000,
    ...given,
  }
}

export function aLiveHost(given: Partial<LiveHost> = {}): LiveHost {
  return {
    host: 'mini',
    seenAt: '2026-11-26T12:00:00.000Z',
    problem: null,
    nextTryAt: null,
    usedBytes: 21.4 * gibibyte,
    totalBytes: 32 * gibibyte,
    services: [aLiveService()],
    ...given,
  }
}

const down = {
  state: 'stopped',
  pid: null,
  warm: null,
  health: null,
  busy: null,
  slots: null,
  tokensPerS: null,
  residentBytes: null,
  upS: null,
} as const

/** Three hosts with everything that a row may show. */
export function aLook(): LiveLook {
  const lost = {
    code: 'CONNECT.REFUSED',
    summary: 'Nothing listens on its SSH port.',
    why: 'nas:22 refuses connections.',
    next: [],
  } as const
  return {
    at: '2026-11-26T12:00:01.000Z',
    hosts: [
      aLiveHost({
        services: [
          aLiveService(),
          aLiveService({ service: 'writer', ...down, notes: ['its log: \u001b[2Jgone'] }),
          aLiveService({
            service: 'flagship-480b-a35b-instruct-q4_k_m',
            kind: 'B',
            busy: 3,
            slots: 1,
            tokensPerS: null,
            residentBytes: 33e9,
          }),
        ],
      }),
      aLiveHost({
        host: 'nas',
        problem: lost,
        nextTryAt: '2026-11-26T12:00:09.000Z',
        seenAt: '2026-11-26T11:58:30.000Z',
        services: [aLiveService({ host: 'nas', service: '書記モデル', manager: 'compose' })],
      }),
      aLiveHost({
        host: 'box',
        usedBytes: null,
        totalBytes: null,
        services: [
          aLiveService({
            host: 'box',
            service: 'loading',
            kind: 'B',
            manager: 'systemd',
            health: 'loading',
            warm: 'unknown',
            busy: null,
            slots: null,
          }),
          aLiveService({ host: 'box', service: 'broken', ...down, state: 'failed', notes: ['exit code 1', 'restarted 5 times'] }),
          aLiveService({ host: 'box', service: 'off', ...down, wanted: 'stopped' }),
        ],
      }),
    ],
  }
}

/** Many hosts with many services each. */
export function manyServices(hosts: number, each: number): LiveLook {
  return {
    at: '2026-11-26T12:00:01.000Z',
    hosts: Array.from({ length: hosts }, (_, host) =>
      aLiveHost({
        host: `host${host}`,
        services: Array.from({ length: each }, (_unused, index) =>
          aLiveService({ host: `host${host}`, service: `model-${index}` }),
        ),
      }),
    ),
  }
}
