import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { execa } from 'execa'
import { listening } from './listening.ts'

/** A registry of images, as the distribution API has it: manifests by tag or digest, and blobs. Real engines pull from it. */
export interface FakeRegistry extends AsyncDisposable {
  readonly port: number
  /** The digest of the saved image. */
  readonly first: string
  /** Makes an image of the first one whose server starts from a script; returns its digest. */
  derive(script: string): Promise<string>
  /** What a tag means from now on. */
  tag(name: string, digest: string): void
}

/** @param saved the folder of an unpacked `docker save` of one image; the registry keeps its files there too */
export async function startFakeRegistry(saved: string): Promise<FakeRegistry> {
  const tags = new Map<string, string>()
  await mkdir(join(saved, 'shelf'))
  const first = await firstImage(saved)
  const server = await listening(
    createServer((request, response) => void answer(request, response, { saved, tags })),
    { host: '0.0.0.0' },
  )
  return {
    first,
    port: Number(new URL(server.url).port),
    tag: (name, digest) => void tags.set(name, digest),
    derive: (script) => derive(saved, first, script),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const types = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
} as const

async function answer(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  { saved, tags }: { readonly saved: string; readonly tags: ReadonlyMap<string, string> },
): Promise<void> {
  const [, kind, name = ''] = /^\/v2\/.+\/(manifests|blobs)\/([^/]+)$/.exec(url) ?? []
  if (kind === undefined) return void response.end('{}')
  const digest = name.startsWith('sha256:') ? name : tags.get(name)
  const path = shelved(saved, digest ?? 'none')
  const manifest = kind === 'manifests' ? await readFile(path).catch(() => undefined) : undefined
  if (digest === undefined || (kind === 'manifests' && manifest === undefined)) {
    response.statusCode = 404
    return void response.end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}')
  }
  response.setHeader('docker-content-digest', digest)
  response.setHeader('content-type', manifest === undefined ? 'application/octet-stream' : types.manifest)
  if (manifest === undefined) return void createReadStream(path).pipe(response)
  response.setHeader('content-length', manifest.length)
  response.end(method === 'HEAD' ? undefined : manifest)
}

interface Blob {
  readonly digest: string
  readonly size: number
}

function shelved(saved: string, digest: string): string {
  return join(saved, 'shelf', digest.replace(/^sha256:/, ''))
}

async function shelve(saved: string, content: Buffer): Promise<Blob> {
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
  await writeFile(shelved(saved, digest), content)
  return { digest, size: content.length }
}

/** Engines before 25 save images in a layout of their own; `manifest.json` is in both. */
async function firstImage(saved: string): Promise<string> {
  const [{ Config: config, Layers: layers }] = JSON.parse(await readFile(join(saved, 'manifest.json'), 'utf8'))
  return shelveImage(
    saved,
    await shelve(saved, await readFile(join(saved, config))),
    await Promise.all(layers.map(async (path: string) => shelve(saved, await readFile(join(saved, path))))),
  )
}

async function shelveImage(saved: string, config: Blob, layers: readonly Blob[]): Promise<string> {
  const manifest = {
    schemaVersion: 2,
    mediaType: types.manifest,
    config: { mediaType: types.config, ...config },
    layers: layers.map((layer) => ({ mediaType: types.layer, ...layer })),
  }
  return (await shelve(saved, Buffer.from(JSON.stringify(manifest)))).digest
}

async function derive(saved: string, from: string, script: string): Promise<string> {
  const { config, layers } = JSON.parse(await readFile(shelved(saved, from), 'utf8'))
  const settings = JSON.parse(await readFile(shelved(saved, config.digest), 'utf8'))
  const root = join(saved, 'layer')
  await mkdir(join(root, 'usr/bin'), { recursive: true })
  await writeFile(join(root, 'usr/bin/server'), script)
  const tar = ['-cf', '-', '--owner=0', '--group=0', '--mode=755', '-C', root, 'usr/bin/server']
  const layer = await shelve(saved, Buffer.from((await execa('tar', tar, { encoding: 'buffer' })).stdout))
  const made = {
    ...settings,
    config: { ...settings.config, Entrypoint: ['/usr/bin/server'] },
    rootfs: { ...settings.rootfs, diff_ids: [...settings.rootfs.diff_ids, layer.digest] },
    history: [...(settings.history ?? []), { created_by: 'COPY /usr/bin/server' }],
  }
  return shelveImage(saved, await shelve(saved, Buffer.from(JSON.stringify(made))), [...layers, layer])
}
