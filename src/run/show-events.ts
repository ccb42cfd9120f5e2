import type { Context } from '../context/context.ts'
import { mapStrings } from '../lib/map-strings.ts'
import { visibleText } from '../lib/visible-text.ts'
import type { Emit, RunEvent } from '../model/event.ts'
import { createDisplay, type DisplayKind } from '../progress/create-display.ts'
import type { Display } from '../progress/display.ts'
import { type EventStream, openEventStream } from '../progress/event-stream.ts'
import { notWritten } from '../state/write-whole.ts'
import { type OutputFlags, stdoutFormat } from './deliver.ts'

export interface EventFlags extends OutputFlags {
  /** Where to stream events: a file, or the number of a descriptor. */
  readonly events?: string | undefined
  readonly quiet?: true | undefined
}

/** Receives the events of a run: the display on stderr, and a stream for other programs. */
export interface EventOutput {
  readonly emit: Emit
  /** Releases the terminal; the next event starts a new display. */
  readonly stopDisplay: () => Promise<void>
  /** Ends the stream. */
  close(): Promise<void>
}

/** @throws ConvergeError `USAGE.OUTPUT_FILE` */
export function showEvents(context: Context, flags: EventFlags): EventOutput {
  const stream = flags.events === undefined ? undefined : eventsInto(flags.events, context)
  let display: Display | undefined
  return {
    emit(event) {
      display ??= createDisplay(displayKind(context, flags), { stream: context.err.stream, env: context.env })
      const shown = shownEvent(event, context)
      display.emit(shown)
      stream?.emit(shown)
    },
    async stopDisplay() {
      await display?.stop()
      display = undefined
    },
    async close() {
      await stream?.close()
    },
  }
}

/** @throws ConvergeError `USAGE.OUTPUT_FILE` */
function eventsInto(target: string, { now }: Context): EventStream {
  try {
    return openEventStream(target, now)
  } catch (error) {
    throw notWritten(target, error, 'Nothing was done.')
  }
}

/** Event members that contain converge's own names, not text from people or hosts. */
const ourNames: ReadonlySet<string> = new Set([
  'type',
  'phase',
  'host',
  'hosts',
  'action',
  'service',
  'status',
  'name',
  'undone',
  'code',
])

/** Redacts the text that hosts contribute to events. */
function shownEvent(event: RunEvent, { redactor }: Context): RunEvent {
  const show = (text: string) => visibleText(redactor.redact(text))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts differ
  return mapStrings(event, show, ourNames) as RunEvent
}

function displayKind(context: Context, flags: EventFlags): DisplayKind {
  if (flags.quiet === true) return 'silent'
  if (!context.err.isTerminal || isSet(context.env['CI'])) return stdoutFormat(flags) === 'json' ? 'silent' : 'plain'
  return 'listr'
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false' && value !== '0'
}
