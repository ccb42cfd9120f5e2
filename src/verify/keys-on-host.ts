import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { Secret } from '../model/secret.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { HostView } from '../transports/transport.ts'

/** Larger files contain no key. */
const largest = 16 * 1024

const text = `for path; do
  if [ ! -f "$path" ] || [ -L "$path" ] || [ ! -r "$path" ]; then continue; fi
  size=$(wc -c <"$path") && [ "$size" -le ${largest} ] || continue
  cat "$path"
  echo
done`

/**
 * Keys in files that converge itself put on a host: a server that refuses all keys of the inventory may have been started with one of them. They
 * are only used for requests, and are secrets from the moment they arrive. Empty if unreadable.
 *
 * @param paths absolute, of key files in either form
 */
export async function keysOnHost(view: HostView, paths: readonly string[], signal?: AbortSignal): Promise<readonly Secret[]> {
  const script = { label: 'read the keys of a server', text: [text], args: paths, elevate: true, timeoutMs: 10_000 }
  try {
    const { exitCode, stdout } = await view.look(ReadOnlyScript.vouchedFor(script), defined({ signal }))
    return exitCode === 0 ? keysIn(stdout) : []
  } catch (error) {
    // What cannot be asked is unknown; the next request reports a broken connection.
    if (error instanceof ConvergeError) return []
    throw error
  }
}

/** The bare key on a line, or `NAME="key"` as in an environment file. A key of this run arrives as `***`, and was already tried. */
function keysIn(stdout: string): readonly Secret[] {
  const keys = stdout.split('\n').map((line) => {
    const [, quote, quoted] = /^[A-Za-z_][A-Za-z0-9_]*=(["'])(.*)\1$/.exec(line) ?? []
    if (quoted === undefined) return line
    return quote === '"' ? quoted.replace(/\\(.)/g, '$1') : quoted.replaceAll(`'\\''`, "'")
  })
  const usable = keys.filter((key) => /^[\x21-\x7e]+$/.test(key) && key !== '***')
  return [...new Set(usable)].slice(0, 4).map((key) => new Secret(key, 'a key file on the host'))
}
