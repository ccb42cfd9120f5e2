import { access, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { type Double, startDouble } from './start-double.ts'

export const KEY = { Authorization: 'Bearer secret' }
export const ID = 'glm-5.2-colibri'
export const chat = (extra: object = {}): object => ({
  model: ID,
  messages: [{ role: 'user', content: 'Hi' }],
  max_tokens: 1,
  ...extra,
})

export async function keyed(env: Record<string, string> = {}, flags: string[] = []): Promise<Double> {
  const double = await startDouble({ flags, env: { SRV_API_KEY: 'secret', KINDB_LOAD_SECONDS: '0', ...env } })
  await double.ready()
  return double
}

export async function engineOf(double: Double): Promise<number> {
  const children = await readFile(`/proc/${double.pid}/task/${double.pid}/children`, 'utf8')
  return Number(children.trim().split(' ')[0])
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** A zombie counts as exited. */
export async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')
  return !status.includes(') Z')
}

export function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const finish = (connected: boolean): void => {
      socket.destroy()
      resolve(connected)
    }
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
  })
}
