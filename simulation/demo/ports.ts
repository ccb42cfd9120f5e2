import { once } from 'node:events'
import { createServer } from 'node:net'

/** One for each server, where people look for such servers if nobody listens there; the hosts share this machine's ports. */
export async function choosePorts(): Promise<{
  readonly coder: number
  readonly writer: number
  readonly giant: number
  readonly flagship: number
}> {
  const [coder = 0, writer = 0, giant = 0] = await freePorts(3, [9990, 9991, 9992, 9993, 9994, 9995])
  const [flagship = 0] = await freePorts(1, [9997, 9998])
  return { coder, writer, giant, flagship }
}

async function freePorts(count: number, usual: readonly number[]): Promise<readonly number[]> {
  const free: number[] = []
  for (const port of [...usual, ...othersThan(usual)]) {
    if (await isFree(port)) free.push(port)
    if (free.length === count) break
  }
  return free
}

function othersThan([first = 0]: readonly number[]): readonly number[] {
  return Array.from({ length: 200 }, (_, index) => first + 10_000 + index)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '0.0.0.0')
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
