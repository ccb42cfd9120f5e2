/** What is done to a host while something goes wrong there. */
export interface Scenario {
  readonly name: string
  /** Of the host. With 32 a second server at a time would break a rule. */
  readonly memoryGib: number
  /** What runs before, by service: what differs from a Kind A of the stage. */
  readonly before: Services
  /** What is asked for then. */
  readonly wanted: Services
  /** What is asked for when the run is over, where what was wanted could not be had; absent: still the same. */
  readonly amended?: Services
}

/** By name; a port is the first or the second of a stage. */
export type Services = Readonly<Record<string, DesiredService>>

export interface DesiredService {
  readonly port: 0 | 1
  readonly ctxSize: number
  readonly absent?: true
}

export const supervisors = ['systemd', 'launchd'] as const
export type Supervisor = (typeof supervisors)[number]

/** A server that is to have it never gets ready: that it does not end either makes what is seen of it the same at every moment. */
export const hopelessCtxSize = 4321

const coder = { port: 0, ctxSize: 1024 } as const
const writer = { port: 1, ctxSize: 512 } as const

export const scenarios: readonly Scenario[] = [
  { name: 'install', memoryGib: 32, before: {}, wanted: { coder } },
  { name: 'update', memoryGib: 32, before: { coder }, wanted: { coder: { ...coder, ctxSize: 2048 } } },
  {
    name: 'swap',
    memoryGib: 256,
    before: { coder, writer },
    wanted: { coder: { ...coder, port: 1 }, writer: { ...writer, port: 0 } },
  },
  {
    name: 'rollback',
    memoryGib: 32,
    before: { coder },
    wanted: { coder: { ...coder, ctxSize: hopelessCtxSize } },
    amended: { coder: { ...coder, ctxSize: 2048 } },
  },
  { name: 'remove', memoryGib: 32, before: { coder }, wanted: { coder: { ...coder, absent: true } } },
]
