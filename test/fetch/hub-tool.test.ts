import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { bytesAt } from '../support/fake-hub/content.ts'
import { fetchScene, fileNamed, token } from '../support/fetch-scene.ts'

/** The hub's own tool is Python and no package of Debian: this does what it was observed to do, and what it says with it. */
const model = { 'coder.gguf': { bytes: 1_300_000, seed: 'coder' } }
const right = bytesAt(model['coder.gguf'], 0, 1_300_000)

const hf = `#!/bin/sh
[ "$1 $2 $4 $6" = 'download --revision --local-dir --' ] && [ "$HF_HUB_DISABLE_XET" = 1 ] || exit 2
revision=$3 folder=$5 repo=$7 name=$8
count=$(cat "\${0%/*}/count" 2>/dev/null || echo 0)
echo "$((count + 1))" >"\${0%/*}/count"
mkdir -p "$folder/.cache/huggingface/download"
curl -fsSL -H "Authorization: Bearer $HF_TOKEN" -o "$folder/.cache/huggingface/download/x.incomplete" \\
  "$HF_ENDPOINT/$repo/resolve/$revision/$name" || exit 1
case $(cat "\${0%/*}/behaves")-$count in
  truncates-0) head -c 1000000 "$folder/.cache/huggingface/download/x.incomplete" >"$folder/$name" ;;
  flips-0) { printf 'X'; tail -c +2 "$folder/.cache/huggingface/download/x.incomplete"; } >"$folder/$name" ;;
  fails-0) echo 'Traceback (most recent call last):' >&2; exit 1 ;;
  gated-*) printf 'Error: Access denied. This repository requires approval.\\nHint: set HF_DEBUG=1 as environment variable for full traceback.\\n' >&2; exit 1 ;;
  absent-*) printf "Error: Local entry not found. Client error '404 Not Found' for url 'http://hub/x'\\nFor more information check: https://hub\\n" >&2; exit 1 ;;
  *) mv "$folder/.cache/huggingface/download/x.incomplete" "$folder/$name" ;;
esac
echo "$folder/$name"
`

let folders: readonly string[] = []
async function toolThat(behaves: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'converge-hf-'))
  folders = [...folders, folder]
  await writeFile(join(folder, 'hf'), hf)
  await chmod(join(folder, 'hf'), 0o755)
  await writeFile(join(folder, 'behaves'), behaves)
  return folder
}

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

it.concurrent.each(['works', 'truncates', 'flips', 'fails'])(
  "believes neither the hub's tool nor its exit status: one that %s at first",
  async (behaves) => {
    const folder = await toolThat(behaves)
    await using scene = await fetchScene(model, { path: `${folder}:/usr/bin:/bin`, token: true, fetcher: 'hub' })
    await scene.start()
    expect(await scene.end()).toBe('done')
    expect((await readFile(fileNamed(scene.order, 'coder.gguf').path)).equals(right)).toBe(true)
    expect(await scene.names()).toEqual(['coder.gguf'])
    expect(await readFile(join(folder, 'count'), 'utf8')).toBe(behaves === 'works' ? '1\n' : '2\n')
    expect(await scene.log()).not.toContain(token)
  },
)

it('reports a missing tool if it is needed', async () => {
  await using scene = await fetchScene(model, { fetcher: 'hub' })
  await scene.start()
  expect(await scene.end()).toMatch(/^failed tools \//)
  expect(await scene.log()).toContain('hf, is not installed')
})

it.each([
  ['gated', 'failed gated '],
  ['absent', 'failed absent '],
])('asks for no hours where the tool says of the hub that it is %s', async (behaves, failed) => {
  await using scene = await fetchScene(model, { path: `${await toolThat(behaves)}:/usr/bin:/bin`, token: true, fetcher: 'hub' })
  await scene.start()
  expect(await scene.end()).toContain(failed)
})
