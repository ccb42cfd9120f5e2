import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/lab/**', 'test/integration/**'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          fileParallelism: false,
          // Tests that run side by side within a file do so because they mostly wait.
          maxConcurrency: 14,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'lab',
          include: ['test/lab/**/*.test.ts'],
          fileParallelism: false,
          globalSetup: ['test/lab/global-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
