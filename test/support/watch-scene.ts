import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type Context, createContext } from '../../src/context/context.ts'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { HostFacts } from '../../src/model/facts.ts'
import type { Host, Service } from '../../src/model/fleet.ts'
import { known } from '../../src/model/observed.ts'
import { Secret } from '../../src/model/secret.ts'
import type { Run } from '../../src/run/run.ts'
import type { OpenView } from '../../src/transports/open-view.ts'
import { aFleet, aHost, aService, gibibyte, someFacts } from './build.ts'
import { withApplied, withStopped } from './simulated-host.ts'
import { pidOf } from './simulated-pid.ts'

/** A host of the scene, which a test changes while it is watched. */
export interface SceneHost {
  readonly host: Host
  /** By name: what each server answers now. */
  readonly servers: ReadonlyMap<string, SceneServer>
  /** How often its facts were gathered, and how many logins there were. */
  gathered: number
  logins: number
  /** Why a login fails. Absent: it does not. */
  fault?: ConvergeError
  /** Its connections break. */
  cut(): void
}

export interface SceneServer {
  readonly service: Service
  runs: boolean
  status: number
  busy: number
  tokens: number
  residentBytes: number
  /** Paths in the order in which they were asked, and the keys. */
  readonly asked: string[]
  readonly keys: (string | undefined)[]
  /** Answers instead of it. */
  instead?: (request: IncomingMessage, response: ServerResponse) => void
}

export interface WatchScene extends AsyncDisposable {
  readonly run: Run
  readonly hosts: readonly SceneHost[]
}

const slots = 4
export const sceneKey = 'k3y-of-the-scene'

/** Hosts with running servers, without SSH: facts, pulses and HTTP come from here. */
export async function openWatchScene(shape: readonly (readonly Partial<Service>[])[], given?: Context): Promise<WatchScene> {
  await using stack = new AsyncDisposableStack()
  const { signal } = new AbortController()
  const context = given ?? createContext(process, { signal, force: signal }, ['status'])
  const hosts = shape.map((services, index) =>
    aHost({
      name: `host${index + 1}`,
      services: services.map((one, at) => aService({ manager: 'systemd', port: 9990 + at, ...one })),
    }),
  )
  const fleet = aFleet({ hosts })
  const scene: SceneHost[] = []
  const views = new Map<Host, OpenView>()
  for (const host of hosts) {
    const servers = new Map(
      host.services.map((service): [string, SceneServer] => [
        service.name,
        { service, runs: true, status: 200, busy: 0, tokens: 0, residentBytes: 4 * gibibyte, asked: [], keys: [] },
      ]),
    )
    const ports = new Map<number, number>()
    for (const one of servers.values()) {
      const listener = createServer((request, response) => answer(one, request, response)).listen(0, '127.0.0.1')
      await once(listener, 'listening')
      stack.defer(() => {
        listener.closeAllConnections()
        listener.close()
      })
      ports.set(one.service.port, (listener.address() as AddressInfo).port)
    }
    scene.push({ host, servers, gathered: 0, logins: 0, cut: () => void views.delete(host) })
    views.set(
      host,
      viewOf(host, servers, ports, () => views.has(host)),
    )
  }
  const sceneOf = (host: Host): SceneHost => {
    const found = scene.find((one) => one.host === host)
    if (found === undefined) throw new Error(`no ${host.name}`)
    return found
  }
  const open = new Map<Host, OpenView>()
  const made = new Map(views)
  const run: Partial<Run> = {
    context,
    flags: { forks: 32, timeout: 60 },
    open: { fleet, hosts, selects: () => true, everyService: true, warnings: [] },
    keys: new Map(
      hosts.flatMap(({ name, services }) =>
        services.map((one) => [`${name}/${one.name}`, known(new Secret(sceneKey, 'a test'))]),
      ),
    ),
    connections: {
      async to(host) {
        const there = open.get(host)
        if (there !== undefined) return there
        const own = sceneOf(host)
        if (own.fault !== undefined) throw own.fault
        own.logins += 1
        const view = made.get(host)
        if (view === undefined) throw new Error(host.name)
        views.set(host, view)
        open.set(host, view)
        return view
      },
      anew: () => Promise.reject(new Error('not here')),
      release: async (host) => void open.delete(host),
      closeAll: async () => undefined,
    },
    async observeOne(host) {
      const own = sceneOf(host)
      own.gathered += 1
      return factsOf(own, fleet)
    },
  }
  const owned = stack.move()
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a watch uses no more of it
  return { run: run as Run, hosts: scene, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

function factsOf({ host, servers }: SceneHost, fleet: ReturnType<typeof aFleet>): HostFacts {
  let facts = someFacts(host)
  for (const { service, runs } of servers.values()) {
    facts = withApplied(facts, { fleet, service, key: new Secret(sceneKey, 'a test'), running: true })
    if (!runs) facts = withStopped(facts, service)
  }
  return facts
}

function lost(): ConvergeError {
  return new ConvergeError('CONNECT.LOST', { summary: 'The connection broke.', why: 'It was cut.', next: [] })
}

function viewOf(
  host: Host,
  servers: ReadonlyMap<string, SceneServer>,
  ports: ReadonlyMap<number, number>,
  isUp: () => boolean,
): OpenView {
  return {
    host: host.name,
    async look() {
      if (!isUp()) throw lost()
      const processes = [...servers.values()].flatMap(({ service, runs, residentBytes }) =>
        runs ? processLines(service, residentBytes) : [],
      )
      const memory = `memory\nMemTotal: ${64 * 1024 ** 2}\nMemAvailable: ${24 * 1024 ** 2}\nend 0\n`
      return { exitCode: 0, stdout: processes.join('') + memory, stderr: '', timedOut: false, ms: 1 }
    },
    async forward(port) {
      if (!isUp()) throw lost()
      const server = [...servers.values()].find(({ service }) => service.port === port)
      if (server?.runs !== true)
        throw new ConvergeError('CONNECT.FORWARD_REFUSED', { summary: 'Refused.', why: 'Nothing listens.', next: [] })
      const socket = connect(ports.get(port) ?? 0, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    },
    close: async () => undefined,
  }
}

function processLine(pid: number, kib: number): string {
  return `process ${pid} ${kib} S ${'1 '.repeat(18)}1000\n`
}

/** A Kind B has an engine, which has all its memory. */
function processLines(service: Service, bytes: number): readonly string[] {
  const kib = Math.round(bytes / 1024)
  return service.kind === 'B'
    ? [processLine(pidOf(service), 0), processLine(pidOf(service) + 100_000, kib)]
    : [processLine(pidOf(service), kib)]
}

function answer(server: SceneServer, request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? ''
  server.asked.push(path)
  server.keys.push(request.headers.authorization)
  if (server.instead !== undefined) return server.instead(request, response)
  const send = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body))
  const { status, busy, tokens, service } = server
  if (status !== 200) return void send(status, {})
  if (service.kind === 'B')
    return void send(200, { status: 'ok', scheduler: { active: busy, queued: 0, capacity: slots, completed: tokens } })
  if (path === '/health') return void send(200, { status: 'ok' })
  const slot = (id: number) => ({
    id,
    id_task: id < busy ? 7 : -1,
    is_processing: id < busy,
    next_token: [{ n_decoded: id < busy ? tokens : 0 }],
  })
  send(
    200,
    Array.from({ length: slots }, (_, id) => slot(id)),
  )
}
