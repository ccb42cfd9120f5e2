import * as fc from 'fast-check'

/** A fleet at random in as few words as possible, so that a counterexample is short. What is left out is nothing strange. */
export interface FleetLot {
  readonly hosts: readonly HostLot[]
  readonly approvals: readonly ApprovalLot[]
  readonly headroomGb?: 2 | 16
  /** Actions wait until the server that they interrupt is idle. */
  readonly waits?: true
}

export interface HostLot {
  readonly platform: 'linux' | 'macos'
  readonly totalGb: number
  /** Of what it has; servers that run have taken theirs already. */
  readonly availableGb: number
  readonly services: readonly ServiceLot[]
  /** By so many places the ports were turned when the services were applied: they want each other's. */
  readonly turned?: number
  /** Only so many of them, the first ones; absent: all. */
  readonly turnedAmong?: 2
  /** Unmanaged model servers, by the memory they use. */
  readonly unmanaged?: readonly { readonly rssGb: number; readonly role: 'A' | 'runner' }[]
  /** The place of the service whose port another program has. */
  readonly taken?: number
  /** What the probe could not observe. */
  readonly blind?: 'memory' | 'listeners' | 'residents' | 'containers' | 'systemd' | 'launchd' | 'layout'
  /** The account is not root, and does not become it. */
  readonly withoutRoot?: true
  /** No user is at the screen of the Mac. */
  readonly loggedOut?: true
  /** Places of the services that are planned; absent: all. */
  readonly selected?: readonly number[]
}

export interface ServiceLot {
  readonly kind: 'A' | 'B'
  readonly state: 'running' | 'stopped' | 'absent'
  /** Of a Linux host. */
  readonly manager?: 'systemd' | 'compose'
  /** The place of the service whose port it wants; absent: its own. */
  readonly portOf?: number
  readonly ctxSize?: number
  /** It keeps prompts in memory, 8 GiB of them. */
  readonly caches?: true
  readonly ramGb?: number
  readonly inline?: true
  /** It was applied before. */
  readonly was?: PastLot
  readonly key?: 'missing' | 'another before' | 'none before' | 'none wanted'
  readonly model?: 'missing' | 'unreadable' | 'unfinished'
  readonly server?: 'busy' | 'deaf' | 'mute'
  /** Its definition is foreign. */
  readonly foreign?: true
  /** Files of a run that was killed lie beside its own. */
  readonly left?: true
  /** Its files are already as desired, and what runs or is loaded is older: its restart was refused. */
  readonly written?: true
  /** Its files were written with this budget since it was started, and its restart was refused. */
  readonly meantGb?: number
  /** A person changed the restart policy of its container. */
  readonly policy?: 'always' | 'no'
  /** What cannot be read of it: its definition on disk, or the environment of its process. */
  readonly unread?: 'definition' | 'environment'
}

export interface PastLot {
  readonly state: 'running' | 'stopped'
  readonly ctxSize?: number
  readonly caches?: true
  readonly ramGb?: number
  readonly inline?: true
  /** It was started with another model, which is larger. */
  readonly larger?: true
  /** It has taken only a part so far of what it is to take. */
  readonly young?: true
  /** A person paused its container. */
  readonly paused?: true
}

export interface ApprovalLot {
  readonly code: string
  /** Absent: any. */
  readonly place?: number
  readonly host?: number
}

/** Up to three hosts with up to ten services each. */
export const arbitraryFleet: fc.Arbitrary<FleetLot> = fc.oneof(
  { weight: 29, arbitrary: mixedFleet() },
  { weight: 1, arbitrary: swapBesideLeave() },
)

function mixedFleet(): fc.Arbitrary<FleetLot> {
  return lot({
    hosts: fc.oneof(
      { weight: 14, arbitrary: fc.array(host(), { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(host(), { minLength: 2, maxLength: 3 }) },
    ),
    approvals: fc.oneof(fc.constant([]), fc.array(approval(), { minLength: 1, maxLength: 3 })),
    headroomGb: oddly(3, fc.constantFrom(2, 16)),
    waits: oddly(5, fc.constant(true)),
  })
}

/** Two servers want each other's ports, and leave is given to a third one that wants more, or gives something back, beside them. */
function swapBesideLeave(): fc.Arbitrary<FleetLot> {
  const fixed = { state: fc.constant('running'), manager: fc.constant('systemd'), inline: fc.constant(true) } as const
  const swapped = lot({
    ...fixed,
    kind: fc.constant('A'),
    caches: oddly(3, fc.constant(true)),
    was: lot({ state: fc.constant('running'), caches: oddly(3, fc.constant(true)) }),
  })
  const third = lot({
    ...fixed,
    kind: fc.constantFrom('A', 'B', 'B'),
    caches: oddly(2, fc.constant(true)),
    ramGb: oddly(2, fc.constantFrom(4, 24)),
    was: oddly(
      4 / 3,
      lot({ state: fc.constant('running'), ctxSize: fc.constant(2048), ramGb: oddly(1.5, fc.constantFrom(4, 24, 40)) }),
    ),
    server: oddly(2, fc.constant('busy')),
  })
  const approvals = fc.record({
    code: fc.constantFrom('WARM.RESTART', 'WARM.RESTART', 'SERVICE.BUSY', 'MEMORY.INSUFFICIENT'),
    place: fc.constantFrom(2, 3),
  })
  return lot({
    hosts: fc.tuple(
      lot({
        platform: fc.constant('linux'),
        totalGb: fc.constant(64),
        availableGb: fc.constantFrom(40, 28, 20, 12),
        services: fc
          .tuple(fc.tuple(swapped, swapped), fc.array(third, { minLength: 1, maxLength: 2 }))
          .map(([two, more]) => [...two, ...more]),
        turned: fc.constant(1),
        turnedAmong: fc.constant(2),
      }),
    ),
    approvals: fc.array(approvals, { minLength: 1, maxLength: 2 }),
  })
}

/** Most have all kinds of trouble; on the others only other services are in the way. */
function host(): fc.Arbitrary<HostLot> {
  return fc.oneof({ weight: 7, arbitrary: troubled() }, { weight: 1, arbitrary: crowded() })
}

/** Healthy servers that want each other's ports and memory, with budgets and contexts that are not what they were started with. */
function crowded(): fc.Arbitrary<HostLot> {
  const one = lot({
    kind: fc.constantFrom('A', 'B'),
    state: fc.constantFrom('running', 'running', 'running', 'running', 'stopped'),
    manager: fc.constant('systemd'),
    portOf: oddly(12, place()),
    caches: oddly(3, fc.constant(true)),
    ramGb: oddly(2, fc.constantFrom(4, 24, 40)),
    inline: fc.constant(true),
    was: oddly(
      1.25,
      lot({
        state: fc.constantFrom('running', 'running', 'running', 'running', 'stopped'),
        ctxSize: oddly(3, fc.constant(2048)),
        caches: oddly(4, fc.constant(true)),
        ramGb: oddly(2, fc.constantFrom(4, 24, 40)),
      }),
    ),
    server: oddly(12, fc.constant('busy')),
    written: oddly(12, fc.constant(true)),
    meantGb: oddly(12, fc.constantFrom(4, 40)),
  })
  return lot({
    platform: fc.constant('linux'),
    totalGb: fc.constantFrom(64, 64, 31.2),
    availableGb: fc.constantFrom(50, 50, 28, 20, 12),
    services: fc.array(one, { minLength: 2, maxLength: 3, size: 'max' }),
    turned: oddly(1.5, fc.constant(1)),
    turnedAmong: oddly(2, fc.constant(2)),
  })
}

function troubled(): fc.Arbitrary<HostLot> {
  return lot({
    platform: fc.constantFrom('linux', 'linux', 'macos'),
    totalGb: fc.constantFrom(64, 31.2, 192),
    availableGb: fc.constantFrom(150, 150, 50, 28, 20, 12),
    services: fc.oneof(
      { weight: 24, arbitrary: fc.array(service(), { minLength: 1, maxLength: 3, size: 'max' }) },
      { weight: 1, arbitrary: fc.array(service(), { minLength: 4, maxLength: 10, size: 'max' }) },
    ),
    turned: oddly(2.5, fc.constantFrom(1, 2)),
    unmanaged: oddly(4, fc.array(unmanagedServer(), { minLength: 1, maxLength: 2 })),
    taken: oddly(6, place()),
    blind: oddly(12, fc.constantFrom('memory', 'listeners', 'residents', 'containers', 'systemd', 'launchd', 'layout')),
    withoutRoot: oddly(12, fc.constant(true)),
    loggedOut: oddly(12, fc.constant(true)),
    selected: oddly(6, fc.array(place(), { maxLength: 3 })),
  })
}

function service(): fc.Arbitrary<ServiceLot> {
  return lot({
    kind: fc.constantFrom('A', 'A', 'A', 'B'),
    state: fc.constantFrom('running', 'running', 'running', 'running', 'running', 'stopped', 'stopped', 'absent'),
    manager: oddly(2, fc.constantFrom('systemd', 'systemd', 'compose')),
    portOf: oddly(8, place()),
    ctxSize: oddly(2, fc.constantFrom(16_384, 65_536, 524_288)),
    caches: oddly(3, fc.constant(true)),
    ramGb: oddly(2, fc.constantFrom(4, 24)),
    inline: oddly(3, fc.constant(true)),
    was: oddly(1.25, past()),
    key: oddly(7, fc.constantFrom('missing', 'another before', 'none before', 'none wanted')),
    model: oddly(20, fc.constantFrom('missing', 'unreadable', 'unfinished')),
    server: oddly(8, fc.constantFrom('busy', 'deaf', 'mute')),
    foreign: oddly(24, fc.constant(true)),
    left: oddly(12, fc.constant(true)),
    written: oddly(8, fc.constant(true)),
    meantGb: oddly(24, fc.constantFrom(4, 24)),
    policy: oddly(8, fc.constantFrom('always', 'no')),
    unread: oddly(12, fc.constantFrom('definition', 'environment')),
  })
}

function past(): fc.Arbitrary<PastLot> {
  return lot({
    state: fc.constantFrom('running', 'running', 'running', 'stopped'),
    ctxSize: oddly(4, fc.constantFrom(2048, 16_384)),
    caches: oddly(4, fc.constant(true)),
    ramGb: oddly(3, fc.constantFrom(4, 24)),
    inline: oddly(5, fc.constant(true)),
    larger: oddly(8, fc.constant(true)),
    young: oddly(4, fc.constant(true)),
    paused: oddly(6, fc.constant(true)),
  })
}

function unmanagedServer() {
  return fc.record({ rssGb: fc.constantFrom(1, 10), role: fc.constantFrom('A', 'runner') })
}

function approval(): fc.Arbitrary<ApprovalLot> {
  return lot({
    code: fc.constantFrom('WARM.RESTART', 'CORUN.SECOND_KIND_A', 'MEMORY.INSUFFICIENT', 'SERVICE.BUSY', 'DEFINITION.FOREIGN'),
    place: oddly(2, place()),
    host: oddly(4, fc.constantFrom(0, 1)),
  })
}

/** Of a service on its host; the first ones are there more often. */
function place(): fc.Arbitrary<number> {
  return fc.constantFrom(0, 0, 1, 1, 2, 3, 4, 7)
}

/** One time in so many; otherwise it is left out. */
function oddly<T>(oneIn: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  const nothing = { arbitrary: fc.constant(undefined), weight: Math.round(100 * (oneIn - 1)) }
  return fc.oneof({ withCrossShrink: true }, nothing, { arbitrary, weight: 100 })
}

/** Without the fields that are left out. */
function lot<T extends object>(fields: { readonly [K in keyof T]-?: fc.Arbitrary<T[K] | undefined> }): fc.Arbitrary<T> {
  const all: Readonly<Record<string, fc.Arbitrary<unknown>>> = fields
  return fc.record(all).map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as T)
}
