/** The command line of a Kind B program, its defaults from the environment, and what makes it exit with status 2. */
export interface Arguments {
  readonly model: string
  readonly host: string
  readonly port: number
  readonly modelId: string | undefined
  readonly key: string
  readonly allowedHosts: readonly string[]
  readonly slots: number
  readonly maxQueue: number
}

/** An exit without a server: its output and its status. */
export class Ending extends Error {
  readonly status: number

  constructor(status: number, words: string) {
    super(words)
    this.status = status
  }
}

const valued = `--model --ram --ctx --gpu --vram --policy --repin --cap --ngen --topp --topk --temp --cluster-workers
  --cluster-coordinator --host --port --model-id --api-key --max-queue --queue-timeout --kv-slots --allowed-host --cors-origin`.split(
  /\s+/,
)
const bare = ['--auto-tier', '--no-tune-profile']
const whole = ['--ram', '--ctx', '--port', '--max-queue', '--kv-slots', '--ngen']
const usage = 'usage: coli [-h] [--version] [--model MODEL] {serve,web,stop} ...\n'

/** @param noBrowser whether it knows that flag, which the real one does not */
export function readArguments(words: readonly string[], environment: NodeJS.ProcessEnv, noBrowser: boolean): Arguments {
  const [command, ...flags] = words
  if (words.includes('--version')) throw new Ending(0, 'colibri 1.7.0\n')
  if (command === undefined || command === '--help')
    throw new Ending(0, `${usage}\noptions:\n  -h, --help\n  --version\n  --model MODEL\n`)
  const known = noBrowser ? [...bare, '--no-browser'] : bare
  if (command !== 'serve') throw new Ending(2, `${usage}coli: error: argument command: invalid choice: '${command}'\n`)
  if (flags.includes('--help')) throw new Ending(0, help(known))
  const given = readFlags(flags, known)
  const own = (name: string): string | undefined => environment[`SRV_${name}`]
  const one = (flag: string): string | undefined => given.get(flag)?.at(-1)
  const names = (own('ALLOWED_HOSTS') ?? '').split(',').filter((name) => name !== '')
  return {
    model: one('--model') ?? own('MODEL') ?? '',
    host: one('--host') ?? '127.0.0.1',
    port: Number(one('--port') ?? 8000),
    modelId: one('--model-id') ?? own('MODEL_ID'),
    key: one('--api-key') ?? own('API_KEY') ?? '',
    allowedHosts: [...(given.get('--allowed-host') ?? []), ...names],
    slots: Number(one('--kv-slots') ?? own('KV_SLOTS') ?? 1),
    maxQueue: Number(one('--max-queue') ?? own('MAX_QUEUE') ?? 8),
  }
}

function readFlags(words: readonly string[], known: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const given = new Map<string, string[]>()
  for (let at = 0; at < words.length; at++) {
    const [flag, inline] = split(words[at] ?? '')
    if (known.includes(flag)) continue
    if (!valued.includes(flag)) throw new Ending(2, `${usage}coli: error: unrecognized arguments: ${words[at]}\n`)
    const value = inline ?? words[++at]
    if (value === undefined) throw new Ending(2, `${usage}coli serve: error: argument ${flag}: expected one argument\n`)
    if (whole.includes(flag) && !/^-?\d+$/.test(value))
      throw new Ending(2, `${usage}coli serve: error: argument ${flag}: invalid int value: '${value}'\n`)
    given.set(flag, [...(given.get(flag) ?? []), value])
  }
  return given
}

function split(word: string): readonly [string, string?] {
  const at = word.indexOf('=')
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)]
}

function help(known: readonly string[]): string {
  const rows = [...known, ...valued.map((flag) => `${flag} ${flag.slice(2).toUpperCase().replaceAll('-', '_')}`)]
  return `usage: coli serve [-h] [options]\n\noptions:\n  -h, --help\n${rows.map((row) => `  ${row}\n`).join('')}`
}
