import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProbeFacts } from '../../src/facts/read-probe.ts'
import { known, unknown } from '../../src/model/observed.ts'
import { question } from '../facts/question-with.ts'
import { thorough } from '../support/series.ts'
import { absolute, runProbe, type ShellSetting, shellSettings } from './probe-run.ts'

const id = 'c'.repeat(64)
const imageId = 'a'.repeat(64)

/** A docker client with one container and one image, which complains of its configuration whatever it is asked. */
const chatty = `#!/bin/sh
echo 'WARNING: Error loading config file: /root/.docker/config.json: permission denied' >&2
case "$1 $2 $5" in
version*) echo 28.5.1 ;;
'compose version '*) echo v2.40.0 ;;
'image inspect ghcr.io/here') echo sha256:${imageId} ;;
'image inspect '*) echo "Error response from daemon: No such image: $5" >&2; exit 1 ;;
ps*) echo ${id} ;;
inspect*)
  cat <<'OUT'
id ${id}
name "/coder"
image "ghcr.io/here"
made sha256:${imageId}
state running 0 false 812 0 2026-11-21T10:00:00Z
health healthy
restart "unless-stopped"
entrypoint
command
OUT
  ;;
esac
`

let folder: string
let settings: Readonly<Record<string, ShellSetting>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'converge-engine-'))
  await chmod(folder, 0o755)
  settings = await shellSettings(folder)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const silent = 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?'

/** A client whose engine does not answer, after a process of this name was started. */
const unanswered = (words: string, started?: string) => `#!/bin/sh
here=\${0%/*}
if [ "$1" = ps ] && [ -n '${started ?? ''}' ]; then
  ln "$here/stays" "$here/dockerd" 2>/dev/null
  ${started ?? ':'} >/dev/null 2>&1 &
  until read -r name </proc/$!/comm && [ "$name" = dockerd ]; do :; done
fi
echo '${words}' >&2
exit 1
`

/** What is found where this is the docker client. */
async function look(name: string, client: string, edited?: (script: string) => string): Promise<ProbeFacts> {
  const { shell: [command = 'sh', ...first] = [], path } = settings[name] ?? {}
  if (path === undefined) throw new Error(`no shell ${name}`)
  // Engines of this machine are none of that host.
  const alone = ['unshare', '--pid', '--fork', '--mount-proc', await absolute(command), ...first]
  const tools = await mkdtemp(join(folder, 'client-'))
  await chmod(tools, 0o755)
  await writeFile(join(tools, 'docker'), client, { mode: 0o755 })
  await writeFile(join(tools, 'stays'), '#!/bin/sh\nsleep 30\n', { mode: 0o755 })
  const asked = question({ platform: 'linux', engineVersion: true, images: ['ghcr.io/here', 'ghcr.io/none'] })
  const { facts } = await runProbe({ shell: alone, path: `${tools}:${path}` }, asked, folder, edited)
  return facts
}

const shells = ['dash', 'bash', 'busybox', 'old busybox']

it.each(shells)('the probe of containers in %s believes true answers beside which something is complained of', async (shell) => {
  const { containers } = await look(shell, chatty)
  expect(containers).toMatchObject(
    known({
      containers: [{ id, name: 'coder', state: 'running', imageId }],
      images: { 'ghcr.io/here': true, 'ghcr.io/none': false },
      imageIds: { 'ghcr.io/here': imageId },
    }),
  )
})

describe.each(thorough(shells))('the probe of containers in %s', (shell) => {
  it('asks a host that hangs again, with a limit for each command', async () => {
    const hanging = chatty.replace(`'compose version '*) echo v2.40.0 ;;`, `'compose version '*) exec sleep 60 ;;`)
    const started = Date.now()
    const facts = await look(shell, hanging, (script) =>
      script.replace('limit 15 ', 'limit 3 ').replaceAll('limit_last 10 "$docker" compose', 'limit_last 3 "$docker" compose'),
    )
    expect(Date.now() - started).toBeLessThan(50_000)
    expect(facts.containers).toMatchObject(
      known({
        engine: { version: '28.5.1', compose: { known: false } },
        containers: [{ id }],
        images: { 'ghcr.io/here': true, 'ghcr.io/none': false },
      }),
    )
    expect(facts.listeners).toMatchObject({ known: true })
  })

  it('distinguishes a stopped engine from one that does not answer', async () => {
    const newer = `failed to connect to the docker API at unix:///var/run/docker.sock; check if the path is correct and if the daemon is running`
    for (const words of [silent, newer])
      expect((await look(shell, unanswered(words))).containers).toEqual(unknown('not-running', words))
    const elsewhere = silent.replace('unix:///var/run', 'unix:///run/user/1000')
    const closed = 'permission denied while trying to connect to the docker API at unix:///var/run/docker.sock'
    expect((await look(shell, unanswered(elsewhere))).containers).toEqual(unknown('unreadable', elsewhere))
    expect((await look(shell, unanswered(closed))).containers).toEqual(unknown('not-permitted', closed))
    expect((await look(shell, unanswered(silent, '"$here/dockerd"'))).containers).toEqual(unknown('unreadable', silent))
  })
})

it('an engine of an account is no engine of the host', async () => {
  const rootless = 'setpriv --reuid 65534 --clear-groups "$here/dockerd"'
  expect((await look('dash', unanswered(silent, rootless))).containers).toEqual(unknown('not-running', silent))
})
