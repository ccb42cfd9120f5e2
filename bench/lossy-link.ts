import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** An address and port that lead to a port of this machine, through a network that delays and loses packets. */
export interface LossyLink extends AsyncDisposable {
  readonly address: string
  readonly port: number
}

export interface Network {
  readonly roundTripMs: number
  /** The share of packets that get lost, 0 to 1. */
  readonly loss: number
}

/** One at a time: its devices and addresses have fixed names. */
export async function lossyLinkTo(port: number, { roundTripMs, loss }: Network): Promise<LossyLink> {
  const folder = await mkdtemp(join(tmpdir(), 'converge-link-'))
  const path = join(folder, 'socket')
  const server = createServer((here) => {
    const there = connect({ port, host: '127.0.0.1', noDelay: true })
    for (const [from, to] of [
      [here, there],
      [there, here],
    ] as const) {
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.once('close', () => to.destroy())
    }
  })
  server.listen(path)
  await once(server, 'listening')
  const words = [join(import.meta.dirname, 'lossy-link.py'), String(roundTripMs / 2), String(loss), path]
  const link = spawn('python3', words, { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line]: unknown[] = await Promise.race([
    once(createInterface({ input: link.stdout }), 'line'),
    once(link, 'exit').then(() => ['']),
  ])
  const [, address, farPort] = String(line).trim().split(' ')
  if (address === undefined)
    throw new Error('there is no network that loses packets: it needs root, python3, iproute2 and /dev/net/tun')
  return {
    address,
    port: Number(farPort),
    [Symbol.asyncDispose]: async () => {
      const ended = once(link, 'exit')
      link.stdin.end()
      await ended
      server.close()
      await rm(folder, { recursive: true })
    },
  }
}
