import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { lookAtFetch } from '../../src/fetch/look-at-fetch.ts'
import { shTransport } from '../support/sh-transport.ts'
import { startOf } from '../support/start-of.ts'

// The facts are tested under dash; here, that other shells understand the script.

const sha = (letter: string) => letter.repeat(64)

it.each(['bash', 'busybox sh'])('%s reports files, the records of the hub’s tool, and a running job', async (words) => {
  const shell = words.split(' ')
  await using host = await shTransport(shell)
  const at = (name: string) => join(host.folder, name)
  const write = async (files: Readonly<Record<string, string>>) => {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(at(name)), { recursive: true })
      await writeFile(at(name), content)
    }
  }
  const look = (kind: 'A' | 'B', model: string) =>
    lookAtFetch(host, { root: at('etc'), id: 'id', kind, model }, new AbortController().signal)
  const [model, second] = [at('m/q "ö\'$x`-00001-of-00002.gguf'), at('m/q "ö\'$x`-00002-of-00002.gguf.0123abcd.part')]
  await write({
    'm/q "ö\'$x`-00001-of-00002.gguf': '12345',
    'm/q "ö\'$x`-00002-of-00002.gguf.0123abcd.part': 'par',
    'm/other.gguf': 'other',
    'm/.cache/huggingface/download/q "ö\'$x`-00001-of-00002.gguf.metadata': `${'c'.repeat(40)}\n${sha('a')}\n1790000000.5\n`,
    big: 'x'.repeat(1000),
  })
  const hashing = {
    label: 'a job',
    args: [host.folder],
    elevate: false,
    timeoutMs: 20_000,
    text: [`(sed 's/.*) //' "/proc/self/stat" >/dev/null; read -r line; exec sleep 600) <"$1/big" >/dev/null 2>&1 & echo $!`],
  }
  const pid = Number((await host.exec(hashing)).stdout)
  await write({
    'etc/fetch/id/state': `working ${model}\n`,
    'etc/fetch/id/process': `${pid} ${startOf(pid)}\n`,
    'etc/fetch/id/hashing': `${pid} ${model}\n`,
    'etc/fetch/id/about': `${JSON.stringify({ repo: 'org/coder', commit: 'c'.repeat(40), model, services: ['coder'] })}\n`,
    'etc/fetch/id/files': `5\tsha256\t${sha('a')}\thttps://hub/a\t${model}\n`,
    'etc/fetch/id/digests': `sha256 ${sha('b')} 5 7 8 9 ${model}\n`,
  })
  // It reads beside the look.
  await expect
    .poll(() => look('A', model))
    .toMatchObject({
      known: true,
      value: {
        tools: expect.arrayContaining(['curl', 'openssl', 'sha256sum']),
        listed: [{ path: model, commit: 'c'.repeat(40), sha256: sha('a') }],
        digests: [{ path: model, bytes: 5, inode: '7', modified: 8, changed: 9, digest: { hex: sha('b') } }],
        job: { repo: 'org/coder', alive: true, path: model, hashed: 1000 },
      },
    })
  const fact = await look('A', model)
  const files = fact.known ? fact.value.files.map(({ path, bytes }) => `${path} ${bytes}`) : []
  expect(files.toSorted()).toEqual([`${model} 5`, `${second} 3`])
  process.kill(pid, 'SIGKILL')
  await write({ 'n/a\nb.json': 'x', 'n/sub/c.json': 'x' })
  expect(await look('B', at('n'))).toMatchObject({ known: false, because: 'unreadable' })
  await rm(at('n/a\nb.json'))
  await symlink(at('big'), at('n/linked'))
  const folder = await look('B', at('n'))
  expect(folder.known && folder.value.files.map(({ path }) => path).toSorted()).toEqual([at('n/linked'), at('n/sub/c.json')])
})
