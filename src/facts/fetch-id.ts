import { sha256 } from '../lib/digest.ts'

/** Of the job for one model of a host; its folder there is called so. One job works on a model at a time. */
export function fetchIdOf(modelPath: string): string {
  return sha256(modelPath).slice(0, 16)
}
