import { defined } from '../lib/defined.ts'
import type { Resident } from '../model/facts.ts'
import { mapObserved, type Observed } from '../model/observed.ts'
import { readCgroup } from './cgroup.ts'
import { classifyProcess } from './classify-process.ts'
import { type Fact, readSection, type SectionScript } from './fact.ts'
import type { ProcessRecord, ProcessTable } from './process-record.ts'
import { processesLinux } from './processes-linux.ts'
import { processesMacos } from './processes-macos.ts'
import type { FactQuestion } from './question.ts'
import { readProcesses } from './read-processes.ts'

/** Processes that may be model servers, downloads or `caffeinate`; the source of all these facts. */
export const processesSection: SectionScript = { name: 'processes', sh: { linux: processesLinux, macos: processesMacos } }

/** Every process that serves a model, managed or not. */
export const residents: Fact<Observed<readonly Resident[]>> = {
  section: processesSection,
  parse: (section, { question }) =>
    readSection(section, (text) => mapObserved(readProcesses(text), (table) => residentsIn(table, question))),
}

function residentsIn({ processes, firstCgroup }: ProcessTable, question: FactQuestion): readonly Resident[] {
  return processes.flatMap((process) => {
    const found = classifyProcess(process, processes, question)
    if (found === null) return []
    const { cgroup, ...described } = process
    const port = portOf(process)
    return [{ ...described, ...found, ...defined({ port }), ...readCgroup(cgroup, firstCgroup) }]
  })
}

/** `--port N` or `--port=N`; the last one counts. */
function portOf({ argv }: ProcessRecord): number | undefined {
  const values = argv.flatMap((arg, index) => {
    if (arg === '--port') return [argv[index + 1] ?? '']
    return arg.startsWith('--port=') ? [arg.slice('--port='.length)] : []
  })
  const last = values.at(-1)
  const port = last !== undefined && /^\d+$/.test(last) ? Number(last) : 0
  return port > 0 && port <= 65_535 ? port : undefined
}
