import { lastLines } from '../../lib/last-lines.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { LifeSign } from '../../model/life-sign.ts'
import type { Supervisor, SupervisorReply } from '../supervisor.ts'
import { nameOfContainer } from './seen.ts'

const format = '{{.State.Status}} {{.RestartCount}} {{.State.ExitCode}} {{.State.OOMKilled}}'

/** Undefined: no engine was found. */
export function supervisorOf(service: Service, facts: HostFacts): Supervisor | undefined {
  const { containers } = facts
  const engine = containers.known ? containers.value.engine : null
  return engine === null ? undefined : engineAt(engine.path, nameOfContainer({ service }, facts))
}

/** @param docker absolute path of the client */
export function engineAt(docker: string, container: string): Supervisor {
  return {
    life: { script: `exec "$1" inspect --type container --format '${format}' "$2"`, args: [docker, container] },
    logs: [{ in: 'container', docker, name: container }],
    readLife: readContainer,
  }
}

/** `docker inspect`: running and paused are alive; restarting means that it crashed. */
export function readContainer({ exitCode, stdout, stderr }: SupervisorReply): LifeSign {
  if (exitCode !== 0 && /no such (container|object)/i.test(stderr))
    return { state: 'dead', detail: 'the container does not exist' }
  const [, status, restarts, code, oom] = /^(\w+) (\d+) (-?\d+) (true|false)$/m.exec(stdout.trim()) ?? []
  if (exitCode !== 0 || status === undefined) return { state: 'unknown', detail: lastLines(stderr, 1) }
  const alive = status === 'running' || status === 'paused'
  const ended = `${status}, exit status ${code}${oom === 'true' ? ' (out of memory)' : ''}`
  return { state: alive ? 'alive' : 'dead', restarts: Number(restarts), detail: alive ? status : ended }
}
