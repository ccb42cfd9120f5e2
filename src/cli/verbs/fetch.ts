import { realpath } from 'node:fs/promises'
import { hostname, userInfo } from 'node:os'
import { Argument } from '@commander-js/extra-typings'
import { ConvergeError } from '../../errors/converge-error.ts'
import { fetchIdOf } from '../../facts/fetch-id.ts'
import { readFetchLog } from '../../fetch/look-at-fetch.ts'
import { startFetch } from '../../fetch/start-fetch.ts'
import { stopFetch } from '../../fetch/stop-fetch.ts'
import { type FetchDocument, renderFetch } from '../../report/fetch-text.ts'
import { type ActingRun, withActingRun } from '../acting-run.ts'
import { createHubAsker } from '../ask-hubs.ts'
import { deliver } from '../deliver.ts'
import { type ExitCode, exitCodes, worstOf } from '../exit-code.ts'
import { type JudgedFetch, type JudgedFetches, judgeAgain, judgeFetches } from '../fetch-cases.ts'
import { followFetches } from '../follow-fetches.ts'
import { hubsNotAsked } from '../hubs-not-asked.ts'
import type { SecretResolver } from '../keys.ts'
import { withHosts, withOutput, withSelection } from '../options.ts'
import { type HostFlags, type Run, withRun } from '../run.ts'
import { createSecretResolver } from '../secret-resolver.ts'
import { unseenExit } from '../unseen-exit.ts'
import type { Verb } from '../verb.ts'

interface FetchFlags extends HostFlags {
  readonly follow?: true | undefined
  readonly detach?: true | undefined
  readonly check?: true | undefined
}

/** `converge fetch`: models from their hubs onto the hosts, by jobs that need no connection; and how far they are. */
export const verb: Verb = {
  configure(command, finish) {
    withOutput(withHosts(withSelection(command)))
      .addArgument(
        new Argument('[what]', 'status: how far it is; stop: stop it, and keep what has arrived; log: what happened').choices([
          'status',
          'stop',
          'log',
        ] as const),
      )
      .option('--follow', 'show progress until all is there (the default on a terminal)')
      .option('--detach', 'return once the downloads have begun')
      .option('--check', 'fetch nothing; 2 where something would be fetched')
      .action((what, options) =>
        finish((context) => {
          if (what === 'status') return withRun(context, options, showStatus)
          if (what === 'log') return withRun(context, options, showLogs)
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
  const found = await judgeFetches(run, createHubAsker(context, resolve))
  if (flags.check === true) return conclude(run, found, { isCheck: true })
  const starting = (job: JudgedFetch) => start(run, job, resolve)
  const begun = await Promise.all(found.models.map(async (job) => (job.verdict.order === undefined ? job : starting(job))))
  const isFollowed = flags.follow ?? (flags.detach !== true && context.err.isTerminal)
  const fetching = begun.filter(({ verdict }) => verdict.state === 'fetching')
  if (!isFollowed || fetching.length === 0) return conclude(run, { ...found, models: begun })
  const over = await followFetches(run, fetching, starting)
  const models = begun.map((job) => over[fetching.indexOf(job)] ?? job)
  if (context.signal.aborted)
    context.err.write('The downloads go on on their hosts:  converge fetch status, converge fetch stop\n')
  return conclude(run, { ...found, models })
}

/** What one host has against it is that host's alone. */
async function start(run: ActingRun, job: JudgedFetch, resolve: SecretResolver): Promise<JudgedFetch> {
  const { about, root, verdict } = job
  const { order } = verdict
  if (order === undefined || root === undefined) return job
  const { context, connections } = run
  try {
    const { token: reference } = about.model.source
    const token = reference === undefined ? undefined : await resolve(reference)
    await startFetch(await connections.to(about.host), root, order, {
      owner: userInfo().username,
      controller: hostname(),
      runId: `fetch-${context.random(3)}`,
      inventory: await realpath(run.open.fleet.path),
      startedAt: context.now().toISOString(),
      nonce: context.random(8),
      ...(token === undefined ? {} : { token }),
    })
    return await judgeAgain(run, job)
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    const { order: _order, ...rest } = verdict
    return { ...job, verdict: { ...rest, state: 'failed', problem: error.toProblem() } }
  }
}

async function showStatus(run: Run): Promise<ExitCode> {
  return conclude(run, await judgeFetches(run))
}

async function stopAll(run: ActingRun): Promise<ExitCode> {
  const found = await judgeFetches(run)
  const models = await Promise.all(
    found.models.map(async (job) => {
      const { about, root, verdict } = job
      if (root === undefined || verdict.state !== 'fetching') return job
      await stopFetch(await run.connections.to(about.host), root, fetchIdOf(about.model.path))
      return judgeAgain(run, job)
    }),
  )
  return conclude(run, { ...found, models })
}

async function showLogs(run: Run): Promise<ExitCode> {
  const { unreachable, models } = await judgeFetches(run)
  const logs = await Promise.all(
    models.map(async ({ about, root }) => {
      const { host, model } = about
      const { path, kind, services } = model
      const view = await run.connections.to(host)
      const place = { root: root ?? '', id: fetchIdOf(path), kind, model: path }
      const log = root === undefined ? null : await readFetchLog(view, place, run.context.signal)
      const text = log === null ? '' : log.known ? (log.value ?? '') : (log.detail ?? log.because)
      return { host, services, model: path, log: text }
    }),
  )
  await run.stopDisplay()
  const document = { schema: 'converge/fetch-log/v1', unreachable, logs } as const
  await deliver(run, {
    document,
    text: (paint) =>
      `${unreachable.length > 0 || logs.length === 0 ? renderFetch({ unreachable, models: [] }, paint) : ''}${logs
        .map(
          ({ host, services, log }) =>
            `${paint(['bold'], `${services.join(', ')}@${host}`)}\n${log === '' ? '  nothing was fetched\n' : log}`,
        )
        .join('\n')}`,
  })
  return worstOf([exitCodes.done, ...unreachable.map(({ problem }) => unseenExit(problem))])
}

async function conclude(
  run: Run,
  { unreachable, models }: JudgedFetches,
  { isCheck = false }: { readonly isCheck?: boolean } = {},
): Promise<ExitCode> {
  await run.stopDisplay()
  const document: FetchDocument = { schema: 'converge/fetch/v1', unreachable, models: models.map(documentOf) }
  await deliver(run, { document, text: (paint) => renderFetch(document, paint) })
  const codes = models.map(({ verdict }) => exitOf(verdict.state, isCheck))
  return worstOf([exitCodes.done, ...codes, ...unreachable.map(({ problem }) => unseenExit(problem))])
}

function exitOf(state: JudgedFetch['verdict']['state'], isCheck: boolean): ExitCode {
  if (state === 'refused') return exitCodes.refused
  if (state === 'unknown') return exitCodes.unreachable
  if (isCheck) return state === 'complete' ? exitCodes.done : exitCodes.changes
  return state === 'failed' ? exitCodes.stepFailed : exitCodes.done
}

function documentOf({ about, verdict }: JudgedFetch): FetchDocument['models'][number] {
  const { host, model } = about
  const { path, services, source } = model
  const { state, files, commit, problem } = verdict
  return {
    host,
    services,
    model: path,
    hub: source.hub,
    repo: source.repo,
    revision: source.revision,
    commit,
    files: files.map((file) => ({ path: file.path, bytes: file.bytes, have: file.have, state: file.state })),
    state,
    ...(problem === undefined ? {} : { problem }),
  }
}
