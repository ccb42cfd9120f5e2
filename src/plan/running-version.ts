import { shortDigest } from '../lib/image-name.ts'
import { ownMember } from '../lib/own-member.ts'
import { holdsServer } from '../managers/holds-server.ts'
import type { FieldChange } from '../model/action.ts'
import { listedFlags } from '../policy/rules/flag-unsupported.ts'
import { flagsOf } from '../servers/flags.ts'
import { seenParts } from '../simulate/seen-parts.ts'
import { launchOf, renderInputOf, type ServiceCase } from '../simulate/service-case.ts'
import { versionFields } from './propose-upgrade.ts'

/** Which version of its program a server runs, and what another one on the host means for its next start. */
export interface RunningVersion {
  /** As the server or its program reports it: `b6123-0abc123`, `6123 (0abc123)`; null: it does not run, or it is unknown. */
  readonly version: string | null
  /** Of the image that its container was created from: `sha256:0abc00000000`, or its id; null: none, or unknown. */
  readonly image: string | null
  /** For people. */
  readonly notes: readonly string[]
}

export function runningVersion(subject: ServiceCase): RunningVersion {
  const { state } = subject
  if (!state.known || !holdsServer(state.value)) return { version: null, image: null, notes: [] }
  const moved = movedVersions(subject)
  return {
    version: reportedBuild(subject) ?? (moved.length > 0 ? null : versionOnDisk(subject)),
    image: runningImage(subject),
    notes: [...moved.map(({ to }) => `a restart would run ${to ?? 'nothing: its executable is gone'}`), ...missingFlags(subject)],
  }
}

/** Where the host has another version than the one that runs. */
function movedVersions(subject: ServiceCase): readonly FieldChange[] {
  const input = renderInputOf(subject)
  const running = input === undefined ? undefined : subject.manager.compareRunning(input, subject.facts)
  return running?.known === true ? running.value.filter(({ field }) => versionFields.has(field)) : []
}

function reportedBuild({ facts, service }: ServiceCase): string | undefined {
  const http = ownMember(facts.http, service.name)
  return http?.known === true && http.value.props.known ? http.value.props.value.build : undefined
}

function versionOnDisk({ facts, service }: ServiceCase): string | null {
  const seen = service.executable === undefined ? undefined : ownMember(facts.executables, service.executable)
  return seen?.known === true ? (seen.value?.version ?? null) : null
}

function runningImage(subject: ServiceCase): string | null {
  const { containers } = subject.facts
  const { container: id } = seenParts(subject, { starts: false })
  if (!containers.known || typeof id !== 'string') return null
  const container = containers.value.containers.find((one) => one.id === id)
  if (container?.imageId === undefined) return null
  const { imageIds = {}, imageDigests = {} } = containers.value
  const [digest] =
    ownMember(imageIds, container.image) === container.imageId ? (ownMember(imageDigests, container.image) ?? []) : []
  return digest === undefined ? container.imageId.slice(0, 12) : shortDigest(digest)
}

/** The running server was started from an older file: it goes on, and ends with a usage error when it is next started. */
function missingFlags(subject: ServiceCase): readonly string[] {
  const launch = launchOf(subject)
  const listed = listedFlags(subject)
  if (launch === undefined || !listed.known) return []
  const lacking = flagsOf(launch).filter((flag) => !listed.value.includes(flag))
  return lacking.length === 0 ? [] : [`will not start again: ${subject.service.executable} does not list ${lacking.join(', ')}`]
}
