import { fileURLToPath } from 'node:url'
import { execa } from 'execa'

/** Why there is no lab on this machine: a reason to skip, not a fault of the code under test. */
export class NoEngineError extends Error {
  override readonly name = 'NoEngineError'
}

/** What images.sh prints: `box` → image. */
export type Images = ReadonlyMap<string, string>

let engine: Promise<string> | undefined

/** What was asked for; each with the others that were asked for at the same time. */
const prepared = new Map<string, Promise<Images>>()

/** Makes sure that a container engine answers and that the images exist; looks once in a process. */
export async function prepareImages(names: readonly string[]): Promise<Images> {
  await (engine ??= script('engine.sh'))
  const others = names.filter((name) => !prepared.has(name))
  if (others.length > 0) {
    const images = makeImages(others)
    for (const name of others) prepared.set(name, images)
  }
  const found = await Promise.all(names.flatMap((name) => prepared.get(name) ?? []))
  return new Map(found.flatMap((images) => [...images]))
}

async function makeImages(names: readonly string[]): Promise<Images> {
  const lines = (await script('images.sh', names)).split('\n').filter(Boolean)
  return new Map(lines.map((line) => pair(line)))
}

export function imageOf(images: Images, name: string): string {
  const image = images.get(name)
  if (image === undefined) throw new Error(`images.sh made no ${name}`)
  return image
}

/** What a script says on stderr is shown as it goes: building images takes its time. */
async function script(name: string, args: readonly string[] = []): Promise<string> {
  const path = fileURLToPath(new URL(name, import.meta.url))
  const { exitCode, stdout, stderr } = await execa('sh', [path, ...args], {
    reject: false,
    stdin: 'ignore',
    stderr: ['pipe', 'inherit'],
  })
  if (exitCode !== 0)
    throw new NoEngineError(
      stderr
        .split('\n')
        .at(-1)
        ?.replace(/^lab: /, '') || `${name} exited with ${exitCode}`,
    )
  return stdout
}

function pair(line: string): [string, string] {
  const [name = '', ...value] = line.split(' ')
  return [name, value.join(' ')]
}
