import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { NoDemo } from './no-demo.ts'

export interface ServicePorts {
  readonly coder: number
  readonly writer: number
  readonly giant: number
  readonly flagship: number
}

/** Ports that stay free until the servers of this fleet listen on them. */
export interface HeldPorts extends ServicePorts, Disposable {}

/** The distance from a port to the one that marks it as reserved: another fleet on this machine looks there as well. */
const markerDistance = 20_000

/** One for each server, the usual one if it is free; the hosts share this machine's ports. */
export async function holdPorts(): Promise<HeldPorts> {
  const markers: Server[] = []
  const release = () => {
    for (const marker of markers) marker.close()
  }
  const [coder = 0, writer = 0, giant = 0] = await take(3, [9990, 9991, 9992, 9993, 9994, 9995], markers)
  const [flagship = 0] = await take(1, [9997, 9998], markers)
  return { coder, writer, giant, flagship, [Symbol.dispose]: release }
}

async function take(count: number, usual: readonly number[], markers: Server[]): Promise<readonly number[]> {
  const taken: number[] = []
  for (const port of [...usual, ...othersThan(usual)]) {
    const marker = await listenOn(port + markerDistance, '127.0.0.1')
    if (marker === undefined) continue
    if (!(await isFree(port))) marker.close()
    else {
      markers.push(marker.unref())
      taken.push(port)
    }
    if (taken.length === count) return taken
  }
  throw new NoDemo(`no ${count} of the ports from ${usual[0]} on are free on this machine`)
}

function othersThan([first = 0]: readonly number[]): readonly number[] {
  return Array.from({ length: 200 }, (_, index) => first + 1000 + index)
}

/** On some systems one process may listen on all addresses and another on one of them. */
async function isFree(port: number): Promise<boolean> {
  for (const address of ['0.0.0.0', '127.0.0.1']) {
    const trial = await listenOn(port, address)
    if (trial === undefined) return false
    trial.close()
    await once(trial, 'close')
  }
  return true
}

/** Undefined: the port is taken. */
async function listenOn(port: number, address: string): Promise<Server | undefined> {
  const server = createServer().listen(port, address)
  try {
    await once(server, 'listening')
    return server
  } catch {
    return undefined
  }
}
