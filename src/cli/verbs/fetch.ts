import type { Context } from '../../context/context.ts'
import { type ExitCode, exitCodes, worstOf } from '../../context/exit-code.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { fetchIdOf } from '../../facts/fetch-id.ts'
import { readFetchLog } from '../../fetch/look-at-fetch.ts'
import { stopFetch } from '../../fetch/stop-fetch.ts'
import { converge } from '../../lib/next-command.ts'
import type { FetchLogDocument } from '../../model/fetch-document.ts'
import { renderFetch } from '../../report/fetch-text.ts'
import { indent } from '../../report/indent.ts'
import { type ActingRun, withActingRun } from '../../run/acting-run.ts'
import { createDetailAsker, createHubAsker } from '../../run/ask-hubs.ts'
import { beginFetch, withoutOrder } from '../../run/begin-fetch.ts'
import { concludeFetch, keepBegun, seenOf, showFetches } from '../../run/conclude-fetch.ts'
import { type CopyProgress, copyModel } from '../../run/copy-model.ts'
import { deliver, isReport } from '../../run/deliver.ts'
import { type JudgedFetch, type JudgedFetches, judgeAgain, judgeFetches } from '../../run/fetch-cases.ts'
import { noteOutcomes } from '../../run/fetch-outcomes.ts'
import { followFetches } from '../../run/follow-fetches.ts'
import { hubsNotAsked } from '../../run/hubs-not-asked.ts'
import type { FetchAsking } from '../../run/look-at-neighbours.ts'
import { type Run, withRun } from '../../run/run.ts'
import { createSecretResolver } from '../../run/secret-resolver.ts'
import { unseenExit } from '../../run/unseen-exit.ts'
import { isComing } from '../../simulate/fetch/neighbours.ts'
import { needsController } from '../../simulate/fetch/supply.ts'
import { newRunId } from '../../state/run-identity.ts'
import { checkFetchOptions, type FetchFlags, withFetchOptions } from '../fetch-options.ts'
import type { Verb } from '../verb.ts'

/** `converge fetch`: models from their hubs onto the hosts, by jobs that need no connection; and how far they are. */
export const verb: Verb = {
  configure(command, finish) {
    withFetchOptions(command).action((what, options) =>
      finish(async (context) => {
        checkFetchOptions(what, options)
        if (what === 'status') return withRun(context, options, showStatus)
        if (what === 'log') return showLogs(context, options)
        if (what === 'stop') return withActingRun(context, options, stopAll)
        return withActingRun(context, options, (run) => fetchAll(run, options))
      }),
    )
  },
}

async function fetchAll(run: ActingRun, flags: FetchFlags): Promise<ExitCode> {
  const { context, open } = run
  if (open.isClosed === true) throw hubsNotAsked()
  const resolve = createSecretResolver(context, { isClosed: false })
  const isCheck = flags.check === true
  const isFollowed = flags.follow ?? (flags.detach !== true && context.err.isTerminal)
  const askHub = createHubAsker(context, resolve)
  const found = await look(run, { askHub, askMore: createDetailAsker(context, resolve), mayCopy: isFollowed || isCheck })
  const run_id = newRunId(context)
  if (isCheck) return concludeFetch(run, found, { run_id, isCheck })
  const starting = (job: JudgedFetch) => beginFetch(run, job, { resolve, run_id })
  const begun = await Promise.all(
    found.models.map(async (job) => {
      if (job.verdict.order === undefined) return job
      if (!isCopied(job)) return starting(job)
      return isFollowed ? job : notFollowed(job)
    }),
  )
  const fetching = begun.filter((job) => job.verdict.state === 'fetching' || (job.verdict.order !== undefined && isCopied(job)))
  if (!isFollowed || fetching.length === 0) return concludeFetch(run, { ...found, models: begun }, { run_id })
  await keepBegun(run, { ...found, models: begun }, run_id)
  const copy = (job: JudgedFetch, report: CopyProgress) => copyModel(run, job, { run_id, report })
  const over = await followFetches(run, fetching, { start: starting, copy })
  const models = begun.map((job) => over[fetching.indexOf(job)] ?? job)
  await noteOutcomes(context, models.map(seenOf))
  if (context.signal.aborted)
    context.err.writeProse(
      fetching.some(isCopied)
        ? 'Downloads that have started continue on their hosts:  converge fetch status, converge fetch stop\nWhat other hosts sent is kept; to resume:  converge fetch\n'
        : 'The downloads continue on their hosts:  converge fetch status, converge fetch stop\n',
    )
  return concludeFetch(run, { ...found, models }, { run_id, isFollowed })
}

/** Whether some of it is to come from other hosts before its job begins. */
function isCopied({ about, verdict }: JudgedFetch): boolean {
  return verdict.suppliers !== undefined || (about.model.source.from === 'fleet' && verdict.files.some(isComing))
}

function notFollowed(job: JudgedFetch): JudgedFetch {
  const { about } = job
  const problem = needsController(about.host, about.model.services)
  return { ...job, verdict: { ...withoutOrder(job), state: 'refused', problem } }
}

/** Every model as it is now; how jobs of earlier runs ended is written down. */
async function look(run: Run, asking?: FetchAsking): Promise<JudgedFetches> {
  const found = await judgeFetches(run, asking)
  await noteOutcomes(run.context, found.models.map(seenOf))
  return found
}

async function showStatus(run: Run): Promise<ExitCode> {
  return showFetches(run, await look(run))
}

async function stopAll(run: ActingRun): Promise<ExitCode> {
  const found = await look(run)
  const models = await Promise.all(
    found.models.map(async (job) => {
      const { about, host, root } = job
      if (root === undefined || !mayWork(job)) return job
      await stopFetch(await run.connections.to(host), root, fetchIdOf(about.model.path))
      return judgeAgain(run, job)
    }),
  )
  await noteOutcomes(run.context, models.map(seenOf))
  return showFetches(run, { ...found, models })
}

/** Between two pieces of a copy from another host nothing works, and it goes on. */
function mayWork({ about: { fact }, verdict }: JudgedFetch): boolean {
  return verdict.state === 'fetching' || (fact.known && fact.value.job?.state === 'working')
}

function showLogs(context: Context, flags: FetchFlags): Promise<ExitCode> {
  if (flags.format?.some(({ format }) => isReport(format)) === true) throw logsAreText()
  return withRun(context, flags, showEachLog)
}

async function showEachLog(run: Run): Promise<ExitCode> {
  const { unreachable, models } = await judgeFetches(run)
  const logs = await Promise.all(
    models.map(async ({ about, host, root }) => {
      const { path, kind, services } = about.model
      const view = await run.connections.to(host)
      const place = { root: root ?? '', id: fetchIdOf(path), kind, model: path }
      const log = root === undefined ? null : await readFetchLog(view, place, run.context.signal)
      const text = log === null ? '' : log.known ? (log.value ?? '') : (log.detail ?? log.because)
      return { host: host.name, services, model: path, log: text }
    }),
  )
  await run.stopDisplay()
  const document: FetchLogDocument = { schema: 'converge/fetch-log/v1', unreachable, logs }
  await deliver(run, {
    document,
    text: (paint) =>
      `${unreachable.length > 0 || logs.length === 0 ? renderFetch({ unreachable, models: [] }, paint) : ''}${logs
        .map(
          ({ host, services, log }) =>
            `${paint(['bold'], `${services.join(', ')}@${host}`)}\n${log === '' ? '  nothing was fetched\n' : paint.whole(indent(log))}`,
        )
        .join('\n')}`,
  })
  return worstOf([exitCodes.done, ...unreachable.map(({ problem }) => unseenExit(problem))])
}

function logsAreText(): ConvergeError {
  return new ConvergeError('USAGE.COMMAND', {
    summary: 'The log is available as text or JSON only.',
    why: 'The other formats are for how far models are, not for the lines of a log.',
    next: [converge(['fetch', 'log', '--json']), converge(['fetch', 'status', '--format', 'markdown'])],
  })
}
