import { defineConfig } from 'vitest/config'

/** Files of `test/lab/e2e` that work on the hosts that run for all; the others start hosts of their own. */
const onSharedHosts = ['test/lab/e2e/display.test.ts', 'test/lab/e2e/other-hosts.test.ts']

/** What a test waits for comes late on a machine where much else runs; where it comes at once, nothing is waited for. */
const expect = { poll: { timeout: 15_000 } }

const setupFiles = ['test/support/same-cases.ts']

/** One file at a time: hosts are slow where many of them work at once. */
const lab = { setupFiles, fileParallelism: false, testTimeout: 180_000, hookTimeout: 300_000, expect }

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles,
          include: ['test/**/*.test.ts'],
          exclude: ['test/lab/**', 'test/integration/**'],
          testTimeout: 120_000,
          expect,
        },
      },
      {
        test: {
          name: 'integration',
          setupFiles,
          include: ['test/integration/**/*.test.ts'],
          fileParallelism: false,
          // Tests that run side by side within a file do so because they mostly wait.
          maxConcurrency: 14,
          testTimeout: 90_000,
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
    ],
  },
})
