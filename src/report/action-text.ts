import prettyMs from 'pretty-ms'
import { type Action, type ActionKind, type FieldChange, hostItself } from '../model/action.ts'
import type { Paint, PaintStyle } from './paint.ts'

/** How the plan marks each kind of action. */
export const actionSigns: Readonly<Record<ActionKind, { readonly sign: string; readonly style: PaintStyle }>> = {
  noop: { sign: '·', style: 'dim' },
  adopt: { sign: '⌂', style: 'green' },
  install: { sign: '+', style: 'green' },
  update: { sign: '~', style: 'yellow' },
  start: { sign: '>', style: 'green' },
  restart: { sign: '↻', style: 'yellow' },
  stop: { sign: '■', style: 'magenta' },
  remove: { sign: '-', style: 'red' },
  release: { sign: '○', style: 'yellow' },
  download: { sign: '↓', style: 'cyan' },
  'host-setting': { sign: '~', style: 'yellow' },
}

/** `~ update coder  the definition differs  (downtime: seconds)`; `~ host-setting disksleep 10 → 0  …` of the host itself. */
export function renderActionLine(action: Action, paint: Paint): string {
  const { sign, style } = actionSigns[action.kind]
  const downtime = action.downtime === 'none' ? '' : paint(['dim'], `  (downtime: ${action.downtime})`)
  return `${paint([style], `${sign} ${paint.hang}${action.kind}`)} ${paint(['bold'], subjectOf(action))}  ${action.reason}${downtime}`
}

function subjectOf({ service, changes }: Action): string {
  if (service !== hostItself || changes.length === 0) return service
  return changes.map(({ field, from, to }) => `${field} ${from ?? '(none)'} → ${to ?? '(none)'}`).join(', ')
}

/** Field changes, the diff and the note of one action; empty where it has none. */
export function renderActionDetail(action: Action, options: { readonly paint: Paint; readonly withDiff: boolean }): string {
  const { paint, withDiff } = options
  // The line of an action about the host itself has its changes.
  const changes = action.service === hostItself ? [] : action.changes
  // An action that does not restart costs nothing now; its note says that the change waits.
  const costs = action.interrupts || action.note !== undefined
  const lines = changes.map((change) =>
    renderFieldChange(costs ? change : { ...change, effect: withoutRestart(change.effect) }, paint),
  )
  if (withDiff && action.diff !== undefined && action.diff !== '') lines.push(renderDiff(action.diff, paint))
  if (action.wait_idle_s !== undefined) lines.push(paint(['cyan'], waitWords(action.wait_idle_s)))
  if (action.note !== undefined) lines.push(paint(['cyan'], action.note))
  return lines.join('\n')
}

function waitWords(seconds: number): string {
  return seconds === 0 ? 'only if it is idle at that moment' : `waits until it is idle, ${prettyMs(seconds * 1000)} at most`
}

function withoutRestart(effect: FieldChange['effect']): FieldChange['effect'] {
  return effect === 'reload' ? 'reload' : 'none'
}

function renderFieldChange(change: FieldChange, paint: Paint): string {
  const from = change.from === null ? paint(['dim'], '(none)') : change.from
  const to = change.to === null ? paint(['dim'], '(none)') : change.to
  return `${change.field}  ${from} → ${to}${paint(['dim'], effectWords[change.effect])}`
}

const effectWords: Readonly<Record<FieldChange['effect'], string>> = {
  none: '',
  reload: '  reload',
  'cheap-restart': '  restart',
  'costly-restart': '  restart, loses the warm cache',
}

function renderDiff(diff: string, paint: Paint): string {
  const lines = diff.trimEnd().split('\n')
  // Both names are the path of the file, which one line shows.
  const [before = '', after = ''] = lines
  const isNamedTwice = before.startsWith('--- a/') && after === `+++ b/${before.slice('--- a/'.length)}`
  const [path, rest] = isNamedTwice ? [before.slice('--- a'.length), lines.slice(2)] : [undefined, lines]
  return [...(path === undefined ? [] : [paint(['bold'], path)]), ...rest.map((line) => paintDiffLine(line, paint))]
    .map((line) => paint.whole(line))
    .join('\n')
}

function paintDiffLine(line: string, paint: Paint): string {
  if (line.startsWith('+++') || line.startsWith('---')) return paint(['dim'], line)
  if (line.startsWith('@@')) return paint(['cyan'], line)
  if (line.startsWith('+')) return paint(['green'], line)
  if (line.startsWith('-')) return paint(['red'], line)
  return line
}
