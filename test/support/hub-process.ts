import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Asked } from './fake-hub/asked.ts'
import type { FakeHubConfig, FakeHubOrigins, FileMoods } from './fake-hub-main.ts'

/** The fake hub in a process of its own: it goes on when this one is busy or stopped. */
export interface HubProcess extends FakeHubOrigins, AsyncDisposable {
  asked(): Promise<readonly Asked[]>
  behave(moods: FileMoods): Promise<void>
}

export async function startHubProcess(config: FakeHubConfig): Promise<HubProcess> {
  const program = join(import.meta.dirname, 'fake-hub-main.ts')
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(config))
  const [line]: unknown[] = await once(createInterface(child.stdout), 'line')
  const origins: FakeHubOrigins = JSON.parse(String(line))
  return {
    ...origins,
    asked: async () => (await (await fetch(origins.control)).json()) as readonly Asked[],
    behave: async (moods) => void (await fetch(origins.control, { method: 'POST', body: JSON.stringify(moods) })),
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await once(child, 'exit')
    },
  }
}
