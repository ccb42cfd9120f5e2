import { assertNever } from '../errors/assert-never.ts'
import { InternalError } from '../errors/converge-error.ts'
import { type Action, type EndedServer, markField } from '../model/action.ts'
import type { Check, RunStep, Step, StepGroup } from '../model/step.ts'
import { isTidying } from './tidying.ts'

/** A group before it is assigned to an action. */
export type GroupBody = Omit<StepGroup, 'action' | 'service'>

interface AnyJob {
  readonly prechecks: readonly Check[]
}

/** How a server ends that no supervisor runs. */
export interface EndingServer {
  readonly step: RunStep
  readonly portFree: Check
}

/** How a supervisor compiles each kind of action. */
export interface Acts<Job extends AnyJob> {
  /** Install and update. */
  write(job: Job): GroupBody
  /** An update that only deletes unused files. */
  tidy(job: Job): GroupBody
  start(job: Job): GroupBody
  restart(job: Job): GroupBody
  stop(job: Job): GroupBody
  remove(job: Job): GroupBody
  /** Ends a server that no supervisor runs; absent: never. */
  end?(job: Job, ended: EndedServer): EndingServer
  /** Takes our mark from a definition that converge wrote. */
  unmark(job: Job): readonly Step[]
  /** Settings of the machine while the service runs; most supervisors have none. */
  setting?(job: Job): GroupBody
}

export function compileAction<Job extends AnyJob>(action: Action, acts: Acts<Job>, job: Job): StepGroup {
  const body = action.ends === undefined ? bodyOf(action, acts, job) : takeOver(action, acts, job, action.ends)
  return { action: action.id, service: action.service, ...body }
}

function bodyOf<Job extends AnyJob>(action: Action, acts: Acts<Job>, job: Job): GroupBody {
  switch (action.kind) {
    case 'install':
    case 'update':
      return write(action, acts, job)
    case 'start':
    case 'restart':
    case 'stop':
    case 'remove':
      return acts[action.kind](job)
    case 'host-setting':
      return setting(action, acts, job)
    case 'adopt':
    case 'release':
      return recordOnly(action, acts, job)
    case 'noop':
    case 'download':
      throw nothingToDo(action)
    default:
      return assertNever(action.kind)
  }
}

function write<Job extends AnyJob>(action: Action, acts: Acts<Job>, job: Job): GroupBody {
  return isTidying(action) ? acts.tidy(job) : acts.write(job)
}

/** The old server ends right before the first step that starts the new one. */
function takeOver<Job extends AnyJob>(action: Action, acts: Acts<Job>, job: Job, ended: EndedServer): GroupBody {
  if (acts.end === undefined) throw nothingToDo(action)
  const start = acts.start(job)
  const { step: end, portFree } = acts.end(job, ended)
  const at = start.steps.findIndex(({ server }) => server)
  const guarded = start.steps
    .slice(at)
    .map((step, index) => (index === 0 ? { ...step, guards: [...step.guards, portFree] } : step))
  return { ...start, precheck: [...start.precheck, ...end.guards], steps: [...start.steps.slice(0, at), end, ...guarded] }
}

/** Changes what converge knows of a service, and nothing of the service. */
function recordOnly<Job extends AnyJob>({ changes }: Action, acts: Acts<Job>, job: Job): GroupBody {
  const isMarked = changes.some(({ field }) => field === markField)
  return { precheck: job.prechecks, steps: isMarked ? acts.unmark(job) : [], postcheck: [], undo: [] }
}

function setting<Job extends AnyJob>(action: Action, acts: Acts<Job>, job: Job): GroupBody {
  if (acts.setting === undefined) throw nothingToDo(action)
  return acts.setting(job)
}

function nothingToDo({ id }: Action): InternalError {
  return new InternalError(`a supervisor has nothing to do for ${id}`)
}
