import { sha256 } from '../lib/digest.ts'

/** Id of the job for one model of a host, and the name of its folder there. At most one job works on a model. */
export function fetchIdOf(modelPath: string): string {
  return sha256(modelPath).slice(0, 16)
}
