import { firstWords } from '../facts/fact.ts'
import { defined } from '../lib/defined.ts'
import { isObject } from '../lib/json-object.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import type { RegistryImage } from '../model/registry.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { HostView } from '../transports/transport.ts'

/**
 * Asks the registries of some images what they have under these names, from the host: it reaches the registry that it pulls from, trusts it, and
 * has its own login. First the engine is asked over its socket, which needs no plugin; then its client, which also uses the login of the account.
 * Downloads nothing.
 *
 * @param docker absolute path of the client
 */
export async function askRegistries(
  view: HostView,
  { docker, images }: { readonly docker: string; readonly images: readonly string[] },
  signal?: AbortSignal,
): Promise<Readonly<Record<string, Observed<RegistryImage>>>> {
  const asked = images.filter((image) => plainName.test(image))
  const text = ['PATH="$PATH:/usr/local/bin:/usr/sbin:/sbin"; export PATH\n', `{ ${script}\n} </dev/null 2>/dev/null\n`]
  const question = ReadOnlyScript.vouchedFor({
    label: 'ask the image registries',
    text,
    args: [docker, ...asked],
    elevate: true,
    timeoutMs: asked.length * perImageMs,
  })
  const { stdout } = await view.look(question, defined({ signal }))
  const answers = answersIn(stdout)
  return Object.fromEntries(images.map((image) => [image, asked.includes(image) ? readAnswer(answers.get(image)) : notAsked]))
}

/** What the reference of an image may consist of; it becomes part of a URL. */
const plainName = /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/
const notAsked = unknown('not-gathered', 'its name is not one that a registry knows')
/** The engine and its client get 20 seconds each. */
const perImageMs = 50_000

/** Answers have few lines; a list of many platforms has some hundreds. */
const script = String.raw`docker=$1
shift
limit() { if command -v timeout >/dev/null 2>&1; then timeout "$@"; else shift; "$@"; fi; }
socket=/var/run/docker.sock
case ${'$'}{DOCKER_HOST-} in unix://*) socket=${'$'}{DOCKER_HOST#unix://} ;; ?*) socket= ;; esac
for image; do
  printf 'image %s\n' "$image"
  if [ -S "$socket" ] && command -v curl >/dev/null 2>&1; then
    said=$(curl -s --max-time 20 --unix-socket "$socket" "http://localhost/distribution/$image/json" | tr -d '\r\n' | head -c 20000)
    printf 'engine %s\n' "$said"
    case $said in *'"Descriptor"'*) continue ;; esac
  fi
  printf 'platform %s\n' "$(limit 10 "$docker" version --format '{{.Server.Os}}/{{.Server.Arch}}')"
  limit 20 "$docker" manifest inspect -v "$image" 2>&1 | sed -e 's/^/|/' -e 4000q
done`

function answersIn(stdout: string): ReadonlyMap<string, readonly string[]> {
  const answers = new Map<string, string[]>()
  let current: string[] = []
  for (const line of stdout.split('\n')) {
    if (line.startsWith('image ')) answers.set(line.slice('image '.length), (current = []))
    else if (line !== '') current.push(line)
  }
  return answers
}

/** Whatever the host says: a digest of the right form, or unknown. */
function readAnswer(lines: readonly string[] | undefined): Observed<RegistryImage> {
  if (lines === undefined) return unknown('timed-out', 'the registry did not answer in time')
  const after = (tag: string) => lines.find((line) => line.startsWith(tag))?.slice(tag.length)
  const engine = parsed(after('engine ') ?? '')
  const digest = isObject(engine) && isObject(engine['Descriptor']) ? digestIn(engine['Descriptor']) : undefined
  if (digest !== undefined) return known({ digest })
  const said = lines.filter((line) => line.startsWith('|')).map((line) => line.slice(1))
  const listed = ofPlatform(parsed(said.join('\n')), after('platform ') ?? '')
  if (listed !== undefined) return known(listed)
  const why = isObject(engine) && typeof engine['message'] === 'string' ? engine['message'] : said.join('\n')
  return unknown('unreadable', firstWords(why) ?? 'the registry did not answer')
}

/** `docker manifest inspect -v`: one image, or a list with one for each platform. */
function ofPlatform(answer: unknown, platform: string): RegistryImage | undefined {
  if (!Array.isArray(answer)) return imageIn(answer)
  const [os, architecture] = platform.split('/')
  return imageIn(
    answer.find((one: unknown) => {
      const where = isObject(one) && isObject(one['Descriptor']) ? one['Descriptor']['platform'] : undefined
      return isObject(where) && where['os'] === os && where['architecture'] === architecture
    }),
  )
}

function imageIn(entry: unknown): RegistryImage | undefined {
  if (!isObject(entry) || !isObject(entry['Descriptor'])) return undefined
  const digest = digestIn(entry['Descriptor'])
  const manifest = entry['OCIManifest'] ?? entry['SchemaV2Manifest']
  const config = isObject(manifest) && isObject(manifest['config']) ? digestIn(manifest['config']) : undefined
  return digest === undefined ? undefined : { digest, ...defined({ config }) }
}

function digestIn({ digest }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof digest === 'string' && /^sha256:[0-9a-f]{64}$/.test(digest) ? digest : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
