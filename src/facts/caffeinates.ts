import type { Caffeinate } from '../model/facts.ts'
import { mapObserved, type Observed } from '../model/observed.ts'
import { invocationOf } from '../servers/invocation.ts'
import { type Fact, readSection } from './fact.ts'
import type { ProcessRecord } from './process-record.ts'
import { processesIn } from './read-processes.ts'
import { processesSection } from './residents.ts'

/** `caffeinate` processes that keep a Mac awake until another process ends; none elsewhere. */
export const caffeinates: Fact<Observed<readonly Caffeinate[]>> = {
  section: processesSection,
  parse: (section) => readSection(section, (text) => mapObserved(processesIn(text), (all) => all.flatMap(readCaffeinate))),
}

/** `caffeinate` with a command or a timeout waits for no process. */
function readCaffeinate({ pid, start, user, argv }: ProcessRecord): readonly Caffeinate[] {
  const { base, args } = invocationOf(argv)
  const at = args.indexOf('-w')
  const waitsFor = Number(args[at + 1])
  if (base !== 'caffeinate' || at < 0 || !Number.isInteger(waitsFor)) return []
  return [{ pid, start, user, flags: args.toSpliced(at, 2), waitsFor }]
}
