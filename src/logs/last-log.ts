import { lastLines } from '../lib/last-lines.ts'
import type { Supervisor } from '../managers/supervisor.ts'
import type { HostView } from '../transports/transport.ts'
import { readLogs } from './read-logs.ts'

const most = 12
const timeoutMs = 30_000

/** The end of a server's log, oldest line first; empty if unavailable. */
export async function readLastLog(view: HostView, { logs }: Supervisor, signal?: AbortSignal): Promise<string> {
  const texts: string[] = []
  const to = {
    line: (_: number, { text }: { readonly text: string }) => {
      texts.push(text)
      return undefined
    },
    trouble: () => undefined,
  }
  const asked = logs.map((source) => ({ source, lines: most }))
  await readLogs(view, { logs: asked, follow: false, keyFiles: [], timeoutMs }, to, signal)
  return lastLines(texts.join('\n'), most)
}
