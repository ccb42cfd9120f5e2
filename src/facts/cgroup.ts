import { defined } from '../lib/defined.ts'
/** What a process's cgroup says about who started it. */
export interface CgroupOwner {
  /** Short container id. */
  readonly container?: string
  readonly unit?: string
}

const containerId = /(?:^|[/:-])([0-9a-f]{64})(?=\.scope(?:$|\/)|$|\/)/g

/**
 * Reads the lines of `/proc/PID/cgroup` (`N:controllers:path`, version 1 or 2). The host itself may be a container: ids in the path of its
 * first process are those of the host. Of nested containers the innermost counts.
 */
export function readCgroup(lines: readonly string[], first: readonly string[]): CgroupOwner {
  const own = new Set(first.flatMap(idsIn))
  const id = lines.flatMap(idsIn).findLast((one) => !own.has(one))
  if (id !== undefined) return { container: id.slice(0, 12) }
  const unit = unitIn(lines)
  return defined({ unit })
}

function idsIn(line: string): readonly string[] {
  return [...line.matchAll(containerId)].map((match) => match[1] ?? '')
}

/** The last service in the path, except a user's service manager. Version 1 has it in the line `name=systemd`. */
function unitIn(lines: readonly string[]): string | undefined {
  const line = lines.find((one) => one.includes(':name=systemd:')) ?? lines.find((one) => one.startsWith('0::'))
  const units = (line ?? '').split('/').filter((part) => part.endsWith('.service') && !/^user@\d+\.service$/.test(part))
  return units.at(-1)
}
