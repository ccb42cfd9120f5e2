import { copyFile, link, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { built } from '../paths.ts'

/**
 * Builds the container image for the platform that this runs on: `build.ts BINARY [OPTION OF docker build…]`. `--build-arg BASE=IMAGE` takes
 * another base.
 */
const [binary = join(built, 'converge'), ...options] = process.argv.slice(2)
const architecture = process.arch === 'x64' ? 'amd64' : process.arch
// A context of its own: the checkout is large, and none of it belongs into an image.
const context = join(built, 'image.parts')
await rm(context, { recursive: true, force: true })
await mkdir(join(context, architecture), { recursive: true })
const copy = join(context, architecture, 'converge')
await link(binary, copy).catch(() => copyFile(binary, copy))
try {
  const words = ['build', '--file', join(import.meta.dirname, 'Dockerfile'), '--build-arg', `TARGETARCH=${architecture}`]
  await execa('docker', [...words, ...options, context], { stdio: 'inherit' })
} finally {
  await rm(context, { recursive: true })
}
