import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inward } from '../../../simulation/border.ts'
import { borderOf } from '../../../simulation/linux/border.ts'
import type { Supervisor } from '../../../simulation/linux/box.ts'
import { type ServiceHost, signalGroup, spawnOnBox } from '../../../simulation/linux/service-process.ts'
import type { Answer } from '../../../simulation/tool-socket.ts'

/** What runsv keeps of one service. */
interface Supervision {
  child: ChildProcess | undefined
  main: Supervisor['services'][number]['main']
  /** To be up: it is started again, a second after its end. */
  wanted: boolean
  since: number
  ended: Promise<void>
}

/**
 * runit of a simulated Linux box, as sv(8), runsv(8) and runsvdir(8) have it: every five seconds it looks which links there are in
 * `/etc/service`; what is linked is started, and started again where it ends; what is no longer linked is ended.
 */
export function startRunit(host: ServiceHost): Supervisor {
  for (const folder of ['etc/sv', 'etc/service']) mkdirSync(join(host.root, folder), { recursive: true })
  const all = new Map<string, Supervision>()
  const look = () => {
    const linked = readdirSync(join(host.root, 'etc/service'))
    for (const name of linked) if (!all.has(name)) supervise(name)
    for (const [name, one] of all) if (!linked.includes(name)) void end(one).then(() => all.delete(name))
  }
  const supervise = (name: string) => {
    const one: Supervision = { child: undefined, main: undefined, wanted: true, since: Date.now(), ended: Promise.resolve() }
    all.set(name, one)
    one.ended = run(name, one, host)
  }
  const timer = setInterval(look, 5000 / host.pace)
  return {
    get services() {
      return [...all.values()].map(({ main }) => ({ unit: { name: 'runit.service', user: 'root' }, main }))
    },
    tools: { sv: (words) => sv(words, all, host) },
    shutDown: async () => {
      clearInterval(timer)
      await Promise.all([...all.values()].map(end))
    },
  }
}

/** As long as it is to be up. */
async function run(name: string, one: Supervision, host: ServiceHost): Promise<void> {
  while (one.wanted) {
    const script = inward(borderOf(host.root), readFileSync(join(host.root, 'etc/service', name, 'run'), 'utf8'))
    const environment = { PATH: `${host.root}/usr/local/bin:${host.root}/usr/bin`, SIMULATED_ROOT: host.root }
    const started = await spawnOnBox(['/bin/sh', '-c', script], environment, { ...host, unit: name })
    if (started === undefined) throw new Error('this machine has no /bin/sh')
    one.child = started.child
    one.since = Date.now()
    one.main = { pid: started.pid, startedAt: one.since, environment: started.environment }
    if (started.child.exitCode === null && started.child.signalCode === null) await once(started.child, 'exit')
    one.main = undefined
    one.since = Date.now()
    if (one.wanted) await sleep(1000 / host.pace)
  }
}

async function end(one: Supervision): Promise<void> {
  one.wanted = false
  if (one.main !== undefined) signalGroup(one.main.pid, 'SIGTERM')
  await one.ended
}

/** `sv [-w SECONDS] COMMAND SERVICE` */
async function sv(words: readonly string[], all: ReadonlyMap<string, Supervision>, host: ServiceHost): Promise<Answer> {
  const [seconds, command, name = ''] = words[0] === '-w' ? [Number(words[1]), ...words.slice(2)] : [7, ...words]
  if (!existsSync(join(host.root, 'etc/service', name))) {
    return { code: 1, out: `fail: ${name}: unable to change to service directory: file does not exist\n` }
  }
  const one = all.get(name)
  if (one === undefined) return { code: 1, out: `fail: ${name}: runsv not running\n` }
  const again = () => {
    one.wanted = true
    if (one.main === undefined) one.ended = run(name, one, host)
  }
  const until = async (isDone: () => boolean): Promise<Answer> => {
    for (const late = Date.now() + seconds * 1000; Date.now() < late; await sleep(20))
      if (isDone()) return { code: 0, out: `ok: ${statusOf(name, one)}` }
    if (command === 'force-stop' && one.main !== undefined) signalGroup(one.main.pid, 'SIGKILL')
    return { code: 1, out: `timeout: ${statusOf(name, one)}` }
  }
  if (command === 'status') return { code: 0, out: statusOf(name, one) }
  if (command === 'start') {
    again()
    return until(() => one.main !== undefined)
  }
  if (command === 'restart') {
    const before = one.main?.pid
    await end(one)
    again()
    return until(() => one.main !== undefined && one.main.pid !== before)
  }
  if (command === 'force-stop') {
    void end(one)
    return until(() => one.main === undefined)
  }
  return { code: 100, err: `sv: not simulated: ${command}\n` }
}

function statusOf(name: string, { main, since, wanted }: Supervision): string {
  const seconds = Math.floor((Date.now() - since) / 1000)
  if (main === undefined) return `down: ${name}: ${seconds}s${wanted ? ', want up' : ', normally up'}\n`
  return `run: ${name}: (pid ${main.pid}) ${seconds}s\n`
}
