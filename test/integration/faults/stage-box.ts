import { inward } from '../../../simulation/border.ts'
import { borderOf } from '../../../simulation/linux/border.ts'
import { type LinuxBox, startLinuxBox } from '../../../simulation/linux/box.ts'
import { writeTinyModel } from '../../lab/tiny-model.ts'
import { hostShell } from './host-shell.ts'
import type { Program } from './program.ts'
import { gibibyte, type Stage, setDate, type Turn, wordsOfServer } from './stage.ts'

/** Kind A under systemd, on a box where converge is root. */
export async function openBoxStage(memoryGib: number, program: Program): Promise<Stage> {
  const box = await startLinuxBox({ pace: 20, machine: { memoryBytes: memoryGib * gibibyte } })
  const executable = '/usr/local/bin/llama-server'
  await writeTinyModel(box.path('/srv/m.gguf'))
  await program.install(box.path(executable))
  const root = box.path('/').replace(/\/$/, '')
  const shell = hostShell({
    name: 'host',
    environment: {
      ...box.environment,
      LOGNAME: 'root',
      USER: 'root',
      HOME: box.path('/root'),
      SUDO_USER: box.user,
      SUDO_UID: '1000',
      SUDO_GID: '1000',
    },
    inward: (word) => inward(borderOf(root), word),
    scriptInward: (script) => box.scriptInward(script),
    output: () => box.output(),
  })
  return {
    supervisor: 'systemd',
    host: shell,
    quiet: () => shell.quiet(),
    variables: { platform: 'linux', ansible_become: true },
    server: { manager: 'systemd', executable, model: { path: '/srv/m.gguf' } },
    root: box.path('/etc/converge'),
    definitions: box.path('/etc/systemd/system'),
    definition: (service) => `${service}.service`,
    setClock: (seconds) => setDate(box.path('/usr/bin/date'), seconds),
    turns: () => turnsOf(box),
    words: (service) => wordsOfServer(box.systemd.service(`${service}.service`).main?.pid),
    [Symbol.asyncDispose]: () => box[Symbol.asyncDispose](),
  }
}

const ended = / (?:Deactivated successfully|Failed with result '(?:exit-code|signal|timeout)')\.$/

function turnsOf({ journal }: LinuxBox): readonly Turn[] {
  return journal.entries.flatMap(({ program, unit, text }): Turn[] => {
    const service = unit.replace(/\.service$/, '')
    if (program !== 'systemd') return []
    if (text.startsWith('Started ')) return [{ service, event: 'began' }]
    return ended.test(text) ? [{ service, event: 'ended' }] : []
  })
}
