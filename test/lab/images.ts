import { fileURLToPath } from 'node:url'
import { execa } from 'execa'

/** Why there is no lab on this machine: a reason to skip, not a fault of the code under test. */
export class NoEngineError extends Error {
  override readonly name = 'NoEngineError'
}

/** What images.sh prints: `box` → image, `server.tar` → archive of the image. */
export type Images = ReadonlyMap<string, string>

/** Makes sure that a container engine answers and that the images exist; instant when both do. */
export async function prepareImages(): Promise<Images> {
  await script('engine.sh')
  const lines = (await script('images.sh')).split('\n').filter(Boolean)
  return new Map(lines.map((line) => pair(line)))
}

export function imageOf(images: Images, name: string): string {
  const image = images.get(name)
  if (image === undefined) throw new Error(`images.sh made no ${name}`)
  return image
}

async function script(name: string): Promise<string> {
  const path = fileURLToPath(new URL(name, import.meta.url))
  // A daemon that engine.sh starts must not be what keeps this process waiting.
  const { exitCode, stdout, stderr } = await execa('sh', [path], { reject: false, stdin: 'ignore', stderr: ['pipe', 'inherit'] })
  if (exitCode !== 0) throw new NoEngineError(stderr.replaceAll(/^lab: /gm, '') || `${name} exited with ${exitCode}`)
  return stdout
}

function pair(line: string): [string, string] {
  const [name = '', ...value] = line.split(' ')
  return [name, value.join(' ')]
}
