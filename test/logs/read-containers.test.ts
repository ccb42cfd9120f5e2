import { appendFile, chmod, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'
import { readFrom } from './reading.ts'

/** A docker client whose engine is a folder: `id`, `started`, `running`, and a log for each id; it ends following, after all that was written until then, where `running` is not `true`. */
const program = String.raw`#!/bin/sh
state=\${0%/*}
[ ! -e "$state/silent" ] || { echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?' >&2; exit 1; }
case $1 in
inspect)
  [ -e "$state/id" ] || { echo; echo 'Error: No such container: coder' >&2; exit 1; }
  echo "$(cat "$state/id") $(cat "$state/started") $(cat "$state/running")"
  ;;
logs)
  [ ! -e "$state/driver" ] || { echo 'Error response from daemon: configured logging driver does not support reading' >&2; exit 1; }
  for last; do :; done
  [ ! -e "$state/tell" ] || echo "asked: $*"
  case $* in
  *--follow*)
    exec 3<"$state/$last.log"
    while :; do
      over=yes
      if [ "$(cat "$state/id")" = "$last" ] && [ "$(cat "$state/running")" = true ]; then over=; fi
      cat <&3
      [ -z "$over" ] || exit 0
      sleep 0.1
    done
    ;;
  *) cat "$state/$last.log" ;;
  esac
  ;;
esac
`.replaceAll('\\$', '$')

interface Engine {
  readonly docker: string
  readonly set: (values: Readonly<Record<string, string>>) => Promise<void>
  readonly log: (id: string, ...lines: readonly string[]) => Promise<void>
}

async function engineIn({ folder }: ShTransport): Promise<Engine> {
  const docker = join(folder, 'docker')
  await writeFile(docker, program)
  await chmod(docker, 0o755)
  return {
    docker,
    set: async (values) => {
      for (const [name, value] of Object.entries(values)) {
        // At once: no engine has a container with half an id.
        await writeFile(join(folder, `${name}.new`), value)
        await rename(join(folder, `${name}.new`), join(folder, name))
      }
    },
    log: (id, ...lines) => appendFile(join(folder, `${id}.log`), lines.map((line) => `${line}\n`).join('')),
  }
}

let second = 0
/** A line as `docker logs --timestamps` prints it. */
const at = (text: string) => `2026-11-01T10:00:${String(second++ % 60).padStart(2, '0')}.000000000Z ${text}`

describe.concurrent('the log of a container', () => {
  test('has the times of its engine', async ({ expect }) => {
    await using here = await shTransport()
    const { docker, set, log } = await engineIn(here)
    await set({ id: 'one', started: 'a', running: 'true', tell: '' })
    await log('one', '2026-11-01T10:00:00.000000001Z hello', '2026-11-01T10:00:00.000000002Z ')
    const reading = readFrom(here, [{ in: 'container', docker, name: 'coder' }], { since: '@1761991200', count: 5 })
    await reading.over
    expect(reading.lines).toEqual([
      { time: '2026-11-01T10:00:00.000000001Z', text: 'hello' },
      { time: '2026-11-01T10:00:00.000000002Z', text: '' },
    ])
    expect(reading.troubles.map(({ why }) => why)).toEqual(['asked: logs --timestamps --since 1761991200 --tail 5 one'])
  })

  test('is followed over a restart, a lost engine and another container', async ({ expect }) => {
    await using here = await shTransport()
    const { docker, set, log } = await engineIn(here)
    const reading = readFrom(here, [{ in: 'container', docker, name: 'coder' }], { follow: true })
    await expect.poll(() => reading.troubles).toEqual([{ kind: 'missing', why: 'there is no container coder' }])
    await log('one', at('first'))
    await set({ started: 'a', running: 'true', id: 'one' })
    await expect.poll(reading.texts).toEqual(['first'])
    await log('one', at('its end'))
    await set({ running: 'false' })
    await expect.poll(reading.texts).toContain('its end')
    await set({ started: 'b', running: 'true' })
    await log('one', at('started again'))
    await expect.poll(reading.texts).toContain('started again')
    await set({ silent: '', running: 'false' })
    await expect.poll(() => reading.troubles.length).toBe(2)
    await log('two', at('another container'))
    await set({ id: 'two', started: 'c', running: 'true' })
    await here.exec({ label: 'x', text: ['rm "$1"'], args: [join(here.folder, 'silent')], elevate: false, timeoutMs: 60_000 })
    await expect.poll(reading.texts).toEqual(['first', 'its end', 'started again', 'another container'])
    expect(reading.troubles[1]).toEqual({
      kind: 'unreadable',
      why: 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
    })
    await reading.stop()
  })

  test('cannot be read where its driver keeps none', async ({ expect }) => {
    await using here = await shTransport()
    const { docker, set } = await engineIn(here)
    await set({ id: 'one', started: 'a', running: 'true', driver: '' })
    const reading = readFrom(here, [{ in: 'container', docker, name: 'coder' }])
    await reading.over
    expect(reading.lines).toEqual([])
    expect(reading.troubles).toEqual([
      { kind: 'unreadable', why: 'Error response from daemon: configured logging driver does not support reading' },
    ])
  })
})
