import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LabHost, mustExec } from './host.ts'
import type { KindSpec } from './host-kinds.ts'

const PATIENCE_MS = 60_000

/** Resolves when the host has booted and its SSH server has introduced itself. */
export async function untilReady(host: LabHost, spec: KindSpec, published: boolean): Promise<void> {
  if (spec.systemd) await untilBooted(host)
  if (published) await untilBanner(host.address, host.port)
}

async function untilBooted(host: LabHost): Promise<void> {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    const { stdout, stderr } = await host.exec('systemctl is-system-running --wait')
    if (stdout === 'running') return
    if (stdout === 'degraded') throw new Error(`${host.name}: ${await mustExec(host, 'systemctl --failed --no-legend')}`)
    if (Date.now() > until) throw new Error(`${host.name} did not boot: ${stdout} ${stderr}`)
    await sleep(100)
  }
}

async function untilBanner(address: string, port: number): Promise<void> {
  const until = Date.now() + PATIENCE_MS
  while (!(await greets(address, port))) {
    if (Date.now() > until) throw new Error(`no SSH server answers on ${address}:${port}`)
    await sleep(50)
  }
}

/** A published port accepts before anything listens behind it: only the banner counts. */
function greets(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: 1000 })
    const finish = (greeted: boolean): void => {
      socket.destroy()
      resolve(greeted)
    }
    socket.once('data', (chunk: Buffer) => finish(chunk.toString('latin1').startsWith('SSH-2.0')))
    for (const event of ['error', 'timeout', 'close']) socket.once(event, () => finish(false))
  })
}
