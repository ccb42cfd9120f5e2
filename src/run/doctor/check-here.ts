import type { Context } from '../../context/context.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { shell } from '../../lib/next-command.ts'
import type { Check } from '../../model/doctor-document.ts'
import type { HistoryEntry } from '../../model/kept-run.ts'
import { listRuns, readEntry } from '../../state/run-history.ts'
import { note, ok, problem } from './check.ts'

/** An older Node does not come this far: `src/main.ts` turns it away. */
export function checkNode({ versions, platform, arch }: Pick<NodeJS.Process, 'versions' | 'platform' | 'arch'>): Check {
  return ok('node', `${versions.node}, ${platform} ${arch}`)
}

/** No clock shows less: converge did not exist. */
const earliestMs = Date.UTC(2026, 0, 1)
const toleranceMs = 60_000

/** Without the network, a clock can only be found wrong. */
export async function checkClock(context: Pick<Context, 'env' | 'cwd' | 'now'>): Promise<Check> {
  const now = context.now()
  const shown = `${now.toISOString().slice(0, 16).replace('T', ' ')}Z`
  if (now.getTime() < earliestMs)
    return problem('clock', `${shown} cannot be right: TLS and the age of records depend on it`, [setIt])
  const last = await lastRunMs(context)
  if (last !== undefined && last > now.getTime() + toleranceMs)
    return note('clock', `${shown} is before the last run on this machine: it is wrong now, or was wrong then`, [setIt])
  return ok(
    'clock',
    `${shown}, ${last === undefined ? 'with no earlier run to compare' : 'after the last run'}; the network was not asked`,
  )
}

const setIt = shell('date -u', { say: 'Compare with a clock that you trust:' })

/** Undefined: there was none, or it cannot be read. */
async function lastRunMs(context: Pick<Context, 'env' | 'cwd'>): Promise<number | undefined> {
  try {
    const [id] = await listRuns(context)
    const ms = id === undefined ? Number.NaN : Date.parse(timeOf(await readEntry(context, id)))
    return Number.isNaN(ms) ? undefined : ms
  } catch (error) {
    // The line of the state folder says so.
    if (error instanceof ConvergeError) return undefined
    throw error
  }
}

function timeOf(entry: HistoryEntry): string {
  if ('unreadable' in entry) return ''
  return 'begun_at' in entry ? entry.begun_at : entry.at
}

/** The narrowest that tables were drawn for. */
const comfortable = 80

export function checkTerminal({ out, env }: Pick<Context, 'out' | 'env'>): Check {
  if (!out.isTerminal) return ok('terminal', 'stdout is none: text is printed without colours and unwrapped')
  const { columns } = out
  const depth = env['NO_COLOR'] === undefined || env['NO_COLOR'] === '' ? out.stream.getColorDepth() : 1
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((one) => one !== undefined && one !== '')
  const size = columns === undefined ? 'width unknown' : `${columns} columns`
  const found = `${size}, ${depth > 1 ? 'colours' : 'no colours'}`
  if (locale === undefined || !/utf-?8/i.test(locale))
    return note('terminal', `${found}; the locale ${locale ?? '(none)'} is not UTF-8, so signs such as ✓ may look wrong`, [
      shell('export LC_ALL=C.UTF-8'),
    ])
  if (columns !== undefined && columns < comfortable)
    return note('terminal', `${found}, UTF-8; tables need ${comfortable} columns`, ['Widen the window.'])
  return ok('terminal', `${found}, UTF-8`)
}
