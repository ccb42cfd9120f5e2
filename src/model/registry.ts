import type { Observed } from './observed.ts'

/** The image that a registry has under a name. */
export interface RegistryImage {
  /** Of its manifest, by which it can be pulled: `sha256:…`. */
  readonly digest: string
  /** Of its configuration, which most engines use as its id; absent: the registry's answer does not contain it. */
  readonly config?: string
}

/** By host, then by the image's name in the inventory. A host whose engine was not asked is missing. */
export type RegistryAnswers = ReadonlyMap<string, Readonly<Record<string, Observed<RegistryImage>>>>
