import type { Display } from './display.ts'

/** For `--quiet`, and where stderr is not looked at. */
export function createSilentDisplay(): Display {
  return { emit: () => undefined, stop: async () => undefined }
}
