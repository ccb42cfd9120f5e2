/** `ghcr.io/ggml-org/llama.cpp:server` → `ghcr.io/ggml-org/llama.cpp`; a port is no tag. */
export function repositoryOf(image: string): string {
  const [name = ''] = image.split('@')
  const colon = name.lastIndexOf(':')
  return colon > name.lastIndexOf('/') ? name.slice(0, colon) : name
}

/** It names one image for ever: `…@sha256:…`. */
export function isPinnedImage(image: string): boolean {
  return image.includes('@')
}

/** `sha256:0abc00000000` */
export function shortDigest(digest: string): string {
  return digest.slice(0, 'sha256:'.length + 12)
}
