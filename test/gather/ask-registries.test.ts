import { expect, test } from 'vitest'
import { askRegistries } from '../../src/gather/ask-registries.ts'
import type { HostView } from '../../src/transports/transport.ts'

const image = 'ghcr.io/ggml-org/llama.cpp:server'
const [a, b, c] = ['a', 'b', 'c'].map((letter) => `sha256:${letter.repeat(64)}`)
const bars = (value: unknown) =>
  JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => `|${line}`)
const entry = (architecture: string, digest: string | undefined, manifest = 'OCIManifest') => ({
  Descriptor: { digest, platform: { os: 'linux', architecture } },
  [manifest]: { config: { digest: c } },
})
const engine = (digest: unknown) => `engine ${JSON.stringify({ Descriptor: { digest } })}`

/** The lines of the host after `image NAME`. */
const known: Readonly<Record<string, readonly [lines: readonly string[], value: unknown]>> = {
  'the engine knows it': [[engine(a)], { digest: a }],
  'its client knows it, of one platform': [
    ['engine ', 'platform linux/amd64', ...bars(entry('amd64', a))],
    { digest: a, config: c },
  ],
  'its client knows it, of several': [
    ['platform linux/arm64', ...bars([entry('amd64', a), entry('arm64', b, 'SchemaV2Manifest')])],
    { digest: b, config: c },
  ],
}
const unknown: Readonly<Record<string, readonly [lines: readonly string[], detail: RegExp]>> = {
  'not for this platform': [['platform linux/s390x', ...bars([entry('amd64', a)])], /\[/],
  'it may not be read': [
    ['engine {"message":"denied: requested access is denied"}', 'platform linux/amd64', '|denied'],
    /access is denied/,
  ],
  'there is no network': [['platform linux/amd64', '|dial tcp: lookup ghcr.io: no such host'], /no such host/],
  'no digest': [[engine('sha256:x')], /did not answer/],
  'another thing than a digest': [[engine({ $ne: 1 })], /did not answer/],
  'cut off': [[engine(a).slice(0, -20), 'platform linux/amd64', '|{'], /\{/],
  nothing: [[], /did not answer/],
}

function viewOf(stdout: string): HostView {
  return {
    host: 'nas',
    look: () => Promise.resolve({ exitCode: 0, stdout, stderr: '', timedOut: false, ms: 1 }),
    forward: () => Promise.reject(new Error('not asked')),
  }
}

async function readFrom(lines: readonly string[]) {
  const view = viewOf([`image ${image}`, ...lines, ''].join('\n'))
  return (await askRegistries(view, { docker: '/usr/bin/docker', images: [image] }))[image]
}

test.each(Object.entries(known))('%s', async (_, [lines, value]) => {
  expect(await readFrom(lines)).toEqual({ known: true, value })
})

test.each(Object.entries(unknown))('unknown: %s', async (_, [lines, detail]) => {
  expect(await readFrom(lines)).toMatchObject({ known: false, detail: expect.stringMatching(detail) })
})

test('an answer for another image is none for this one, and a missing one ran out of time', async () => {
  const view = viewOf(`image other:1\n${engine(a)}\n`)
  expect((await askRegistries(view, { docker: 'docker', images: [image] }))[image]).toMatchObject({ because: 'timed-out' })
})

test('a name that is none is not sent', async () => {
  const name = 'x/../../containers/json?all=1#'
  expect((await askRegistries(viewOf(''), { docker: 'docker', images: [name] }))[name]).toMatchObject({ because: 'not-gathered' })
})
