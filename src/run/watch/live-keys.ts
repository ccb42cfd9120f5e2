import type { LiveView } from '../../report/live-table.ts'

/** What a key asks for. */
export type LiveCommand = 'quit' | 'logs' | 'restart' | 'report'

const commands: Readonly<Record<string, LiveCommand>> = { q: 'quit', l: 'logs', r: 'restart', o: 'report', R: 'report' }

type Place = Pick<LiveView, 'selected' | 'help'>

/**
 * The view after a key, or what it asks for.
 *
 * @param count of all services
 * @param page lines of the table
 */
export function afterKey(
  view: Place,
  key: string,
  { count, page }: { readonly count: number; readonly page: number },
): Place | LiveCommand {
  if (view.help) return key === 'q' ? 'quit' : { ...view, help: false }
  if (key === '?') return { ...view, help: true }
  const command = Object.hasOwn(commands, key) ? commands[key] : undefined
  if (command !== undefined) return command
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    down: 1,
    'page-up': -page,
    'page-down': page,
    home: -count,
    end: count,
  }
  const step = Object.hasOwn(steps, key) ? (steps[key] ?? 0) : 0
  return { ...view, selected: Math.max(0, Math.min(count - 1, view.selected + step)) }
}
