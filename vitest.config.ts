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

/** What a test waits for comes late on a machine where much else runs; where it comes at once, nothing is waited for. */
const expect = { poll: { timeout: 60_000 } }

/** A hook may start servers and programs, as a test may. */
const hookTimeout = 120_000

const setupFiles = ['test/support/same-cases.ts']

/** Loading the sources anew for each file takes longer than most tests of small files, and code that stays gets faster. */
const isolate = false

/**
 * One file at a time: hosts are slow where many of them work at once. Each look at a host starts half a dozen processes, so that who waits
 * looks less often than others do.
 */
const lab = {
  setupFiles,
  isolate,
  fileParallelism: false,
  testTimeout: 180_000,
  hookTimeout: 300_000,
  expect: { poll: { ...expect.poll, interval: 250 } },
}

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles,
          include: ['test/**/*.test.ts'],
          exclude: [...elsewhere, ...series, ...withProcesses],
          pool: 'threads',
          isolate,
          maxWorkers: 2,
          testTimeout: 120_000,
          hookTimeout,
          expect,
        },
      },
      {
        test: {
          name: 'series',
          setupFiles,
          include: series,
          testTimeout: 120_000,
          hookTimeout,
          expect,
        },
      },
      {
        test: {
          name: 'shell',
          setupFiles,
          isolate,
          include: [...withProcesses],
          testTimeout: 120_000,
          hookTimeout,
          expect,
        },
      },
      {
        test: {
          name: 'integration',
          setupFiles,
          isolate,
          include: ['test/integration/**/*.test.ts'],
          fileParallelism: false,
          // Tests that run side by side within a file do so because they mostly wait.
          maxConcurrency: 14,
          testTimeout: 90_000,
          hookTimeout,
          expect,
        },
      },
      {
        test: {
          ...lab,
          name: 'lab',
          include: ['test/lab/*.test.ts', 'test/lab/kind-b/*.test.ts', ...onSharedHosts],
          globalSetup: ['test/lab/global-setup.ts'],
        },
      },
      {
        test: {
          ...lab,
          name: 'e2e',
          include: ['test/lab/e2e/*.test.ts'],
          exclude: onSharedHosts,
          globalSetup: ['test/lab/engine-setup.ts'],
        },
      },
      {
        test: {
          ...lab,
          name: 'packaging',
          include: ['test/packaging/*.test.ts'],
          globalSetup: ['test/lab/engine-setup.ts'],
        },
      },
    ],
  },
})
