import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Files of `test/lab/e2e` that work on the hosts that run for all; the others start hosts of their own. */
const onSharedHosts = ['test/lab/e2e/display.test.ts', 'test/lab/e2e/logs.test.ts', 'test/lab/e2e/other-hosts.test.ts']

/** Long series of cases, random ones or all there are, and inventories of ten thousand hosts: they only compute, but take long. */
const series = ['test/plan/{fleets,orders}-*.test.ts', 'test/facts/mutated-probes.test.ts', 'test/inventory/scale.test.ts']

/** Tests that start shells, the built program or other processes; `test/projects.test.ts` checks that all of them are listed. `npm run check` runs the rest. */
export const withProcesses: readonly string[] = [
  'test/{apply,fetch,verify}/**/*.test.ts',
  'test/cli/{command-line,compile-cache,endpoints,fetch,fetch-fleet,format-into,init,pin,prune,scheduled-fetch,watch-output}.test.ts',
  'test/context/error-document.test.ts',
  'test/delivery/hand-over.test.ts',
  'test/docs/{executed,man-lint}.test.ts',
  'test/endpoints/shell.test.ts',
  'test/facts/{fetches,fetches-shells,log-end}.test.ts',
  'test/gather/take-pulse.test.ts',
  'test/hub/fake-hub.test.ts',
  'test/inventory/bounded-secret.test.ts',
  'test/load/resolve-secret.test.ts',
  'test/logs/{read-logs,read-containers,redact-log-awk}.test.ts',
  'test/managers/{silence,look-at-image,model-unchanged,{splice,unmark}-on-host}.test.ts',
  'test/progress/event-stream.test.ts',
  'test/run/{doctor,merge-reports,notify-changes,write-schemas}.test.ts',
  'test/schedulers/install.test.ts',
  'test/schemas-match-types.test.ts',
  'test/state/{controller-lock,journal-retention,kept-report,process-identity,resumption,run-history,write-whole}.test.ts',
  'test/transports/{read-only-script,socket-like}.test.ts',
]

/** Each in a project of its own. */
const elsewhere = ['test/lab/**', 'test/integration/**', 'test/packaging/**']

/**
 * Files of `e2e` that run a form of the program in which people install it, in a process for each run. The others run the sources where a run needs no
 * process of its own, because starting Node takes most of a short run. Vitest runs projects in the order of their names, so that `binary`, which waits most, comes first.
 */
const e2eForms = {
  binary: { of: process.env['CONVERGE_BINARY'], files: ['prune', 'schedule', 'slurm'] },
  package: { of: process.env['CONVERGE_PACKAGE'], files: ['adopt-bare'] },
}
const filesOf = (names: readonly string[]) => names.map((name) => `test/lab/e2e/${name}.test.ts`)

/** Loading the sources anew for each file takes longer than most tests of small files, and code that stays gets faster. */
const isolate = false

/**
 * What a test waits for comes late on a machine where much else runs; where it comes at once, nothing is waited for. A hook may start servers and
 * programs, as a test may.
 */
const common = {
  isolate,
  setupFiles: ['test/support/same-cases.ts'],
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
}

/** Files that mostly wait for hosts, shells and programs. Each worker takes the next file; CI runs three such projects at a time. */
const waiting = {
  ...common,
  maxWorkers: availableParallelism() + 1,
  sequence: { groupOrder: 0 },
  // Hardly a function here runs so often that the best code of the compiler saves the time that the compiler takes.
  execArgv: ['--invocation-count-for-turbofan=30000'],
}

/** Files that keep a processor busy. */
const computing = { ...common, maxWorkers: availableParallelism(), sequence: { groupOrder: 1 } }

/** Runs of converge that need no process have none, unless the form of the program is given. */
const here = process.env['CONVERGE_E2E'] === undefined ? { CONVERGE_E2E_HERE: '1' } : {}

/** Each look at a host of the lab starts half a dozen processes, so that who waits looks less often than others do. */
const lab = {
  testTimeout: 180_000,
  hookTimeout: 300_000,
  expect: { poll: { ...common.expect.poll, interval: 250 } },
}

/** On hosts that each file starts for itself. */
const ownHosts = { ...waiting, ...lab, globalSetup: ['test/lab/engine-setup.ts'] }

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...computing,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...elsewhere, ...series, ...withProcesses],
          pool: 'threads',
        },
      },
      { test: { ...computing, name: 'series', include: series } },
      { test: { ...waiting, name: 'shell', include: [...withProcesses] } },
      {
        test: {
          ...waiting,
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          // Tests that run side by side within a file do so because they mostly wait.
          maxConcurrency: 14,
          testTimeout: 90_000,
        },
      },
      {
        test: {
          ...common,
          ...lab,
          name: 'lab',
          include: ['test/lab/*.test.ts', 'test/lab/kind-b/*.test.ts', ...onSharedHosts],
          globalSetup: ['test/lab/global-setup.ts'],
          env: here,
          // The hosts are the same ones for all files.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...ownHosts,
          name: 'e2e',
          include: ['test/lab/e2e/*.test.ts'],
          exclude: [...onSharedHosts, ...Object.values(e2eForms).flatMap(({ files }) => filesOf(files))],
          env: here,
        },
      },
      ...Object.entries(e2eForms).map(([form, { of, files }]) => ({
        test: { ...ownHosts, name: form, include: filesOf(files), env: of === undefined ? {} : { CONVERGE_E2E: of } },
      })),
      { test: { ...ownHosts, name: 'packaging', include: ['test/packaging/*.test.ts'] } },
    ],
  },
})
