import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Mac, startMac } from '../../../simulation/mac/mac.ts'
import { writeTinyModel } from '../../lab/tiny-model.ts'
import { hostShell } from './host-shell.ts'
import type { Program } from './program.ts'
import { gibibyte, type Stage, setDate, type Turn, wordsOfServer } from './stage.ts'

const domain = 'gui/501'

/** Kind A under launchd. */
export async function openMacStage(memoryGib: number, program: Program): Promise<Stage> {
  const mac = await startMac({ pace: 40, machine: { memoryBytes: memoryGib * gibibyte } })
  const model = join(mac.home, 'models/m.gguf')
  await mkdir(join(mac.home, 'models'))
  await writeTinyModel(model)
  await program.install(mac.llamaServer)
  const shell = hostShell({
    name: 'host',
    environment: mac.environment,
    inward: (word) => mac.inward(word),
    scriptInward: (script) => mac.scriptInward(script),
    output: () => mac.output(),
  })
  return {
    supervisor: 'launchd',
    host: shell,
    quiet: () => shell.quiet(),
    variables: { platform: 'macos' },
    server: { executable: mac.llamaServer, model: { path: model } },
    root: join(mac.home, '.config/converge'),
    definitions: join(mac.home, 'Library/LaunchAgents'),
    definition: (service) => `com.example.${service}.plist`,
    setClock: (seconds) => setDate(join(mac.home, '../../bin/date'), seconds),
    turns: () => turnsOf(mac),
    words: (service) => wordsOfServer(mac.launchd.jobsIn(domain)?.get(`com.example.${service}`)?.pid),
    [Symbol.asyncDispose]: () => mac[Symbol.asyncDispose](),
  }
}

function turnsOf({ launchd }: Mac): readonly Turn[] {
  return launchd.events.flatMap(({ label, event }): Turn[] => {
    const service = label.replace('com.example.', '')
    if (event === 'started') return [{ service, event: 'began' }]
    return event === 'ended' ? [{ service, event: 'ended' }] : []
  })
}
