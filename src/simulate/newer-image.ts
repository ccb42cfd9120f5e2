import { isPinnedImage, repositoryOf, shortDigest } from '../lib/image-name.ts'
import { ownMember } from '../lib/own-member.ts'
import type { HostFacts } from '../model/facts.ts'
import type { RegistryImage } from '../model/registry.ts'
import type { ServiceCase } from './service-case.ts'

/** An image that a registry has under the name in the inventory, and the host does not. */
export interface NewerImage {
  readonly name: string
  /** What the name means on the host and in the registry, for people: a digest, `sha256:0abc00000000`, or an id; `here` undefined: nothing. */
  readonly here: string | undefined
  readonly there: string
  /** `repository@sha256:…` */
  readonly pulls: string
}

/** Undefined: there is none, it is unknown, or this is no upgrade. */
export function newerImage(subject: Pick<ServiceCase, 'upgrade' | 'question' | 'facts'>): NewerImage | undefined {
  const name = subject.question.images.find((image) => !isPinnedImage(image))
  if (name === undefined) return undefined
  const answer = ownMember(subject.upgrade?.registry ?? {}, name)
  const here = imageOnHost(name, subject.facts)
  if (answer?.known !== true || here === undefined || isSame(here, answer.value) || isMadeHere(here)) return undefined
  const { digest } = answer.value
  return { name, here: shownName(here), there: shortDigest(digest), pulls: `${repositoryOf(name)}@${digest}` }
}

/** Whether the image was built or loaded on the host: what a registry has under its name may be a stranger's. */
export function wasMadeOnHost(name: string, facts: Pick<HostFacts, 'containers'>): boolean {
  const here = imageOnHost(name, facts)
  return here !== undefined && isMadeHere(here)
}

function isMadeHere({ id, digests }: ImageOnHost): boolean {
  return id !== undefined && digests.length === 0
}

interface ImageOnHost {
  readonly id: string | undefined
  readonly digests: readonly string[]
}

function shownName({ id, digests: [known] }: ImageOnHost): string | undefined {
  return known === undefined ? id?.slice(0, 12) : shortDigest(known)
}

/** Some engines call an image by the digest of its manifest, others by that of its configuration. */
function isSame({ id, digests }: ImageOnHost, { digest, config }: RegistryImage): boolean {
  return digests.includes(digest) || (id !== undefined && [digest, config].includes(`sha256:${id}`))
}

/** Undefined: the engine did not answer. */
function imageOnHost(name: string, { containers }: Pick<HostFacts, 'containers'>): ImageOnHost | undefined {
  if (!containers.known) return undefined
  const { imageIds = {}, imageDigests = {} } = containers.value
  return { id: ownMember(imageIds, name), digests: ownMember(imageDigests, name) ?? [] }
}
