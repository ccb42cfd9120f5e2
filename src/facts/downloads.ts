import type { DownloadJob } from '../model/download-job.ts'
import { mapObserved, type Observed } from '../model/observed.ts'
import { invocationOf } from '../servers/invocation.ts'
import { type Fact, readSection } from './fact.ts'
import type { ProcessRecord } from './process-record.ts'
import { processesIn } from './read-processes.ts'
import { processesSection } from './residents.ts'

/** Running downloads of the hub's command-line tool: `hf` and its predecessor. */
export const downloads: Fact<Observed<readonly DownloadJob[]>> = {
  section: processesSection,
  parse: (section) => readSection(section, (text) => mapObserved(processesIn(text), (all) => all.filter(isDownload).map(toJob))),
}

function isDownload({ argv }: ProcessRecord): boolean {
  const { base, args } = invocationOf(argv)
  return (
    /^(hf|huggingface-cli|huggingface_hub\.cli\.hf|huggingface_hub\.commands\.huggingface_cli)$/.test(base) &&
    args.includes('download')
  )
}

function toJob({ pid, start, argv }: ProcessRecord): DownloadJob {
  return { pid, start, argv }
}
