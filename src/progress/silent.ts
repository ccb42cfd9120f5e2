import type { Display } from './display.ts'

/** For `--quiet`. */
export function createSilentDisplay(): Display {
  return { emit: () => undefined, stop: async () => undefined }
}
