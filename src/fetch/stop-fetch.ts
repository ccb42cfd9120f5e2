import { callMain, define } from '../apply/remote-script.ts'
import { processFunctions } from '../apply/rollback-timer-process.ts'
import { unsafeFolder } from '../apply/safe-folder.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { lastLines } from '../lib/last-lines.ts'
import { converge } from '../lib/next-command.ts'
import { safeFolderFunctions } from '../managers/safe-folder-script.ts'
import type { Transport } from '../transports/transport.ts'

/**
 * Stops the job of a model by its exact process; keeps what has arrived.
 *
 * @param root converge's folder on the host, absolute
 * @returns `idle`: no job was running
 * @throws ConvergeError `FETCH.NOT_STOPPED`, `APPLY.LOCK_UNUSABLE` if others could replace its record
 */
export async function stopFetch(transport: Transport, root: string, id: string): Promise<'stopped' | 'idle'> {
  const result = await transport.exec({
    label: 'stop a download',
    text: [`LC_ALL=C; export LC_ALL\n${safeFolderFunctions}${define('main', stopScript)}\n${callMain}`],
    args: [root, id],
    elevate: true,
    timeoutMs: 60_000,
  })
  const said = result.stdout.trim()
  if (said.startsWith('unsafe ')) throw unsafeFolder(transport.host, root, said.slice('unsafe '.length))
  if (result.exitCode === 0 && (said === 'stopped' || said === 'idle')) return said
  throw new ConvergeError('FETCH.NOT_STOPPED', {
    summary: 'The download may still be running.',
    why: `On ${transport.host}: ${lastLines(`${result.stdout}\n${result.stderr}`.trim()) || 'its process did not end'}`,
    next: [converge(['fetch', 'status'])],
  })
}

/** `$1` converge's folder, `$2` id. The job leads its own session, so all its children end with it. */
const stopScript = `
${processFunctions}
folder=$1/fetch/$2
unsafe=$(unsafe_above "$folder")
if [ -n "$unsafe" ]; then echo "unsafe $unsafe"; exit 0; fi
say_stopped() { rm -f "$folder/state.new" && echo stopped >"$folder/state.new" && mv -f "$folder/state.new" "$folder/state"; }
# For a job whose shell alone was killed.
end_fetcher() { if lives "$folder/fetcher"; then kill -s KILL "$pid"; fi; }
# Between two pieces of a copy from another host no process runs. The next piece records its process, and then looks for this file: either it
# misses the file, or its process is seen below.
copying=
if [ -e "$folder/copy" ]; then copying=yes; rm -f "$folder/copy"; fi
if ! lives "$folder/process"; then
  case $copying$(head -c 20 "$folder/state" 2>/dev/null) in
    yesworking*) say_stopped; echo stopped; exit 0 ;;
  esac
  end_fetcher
  echo idle
  exit 0
fi
ends() {
  looks=0
  while lives "$folder/process"; do
    looks=$((looks + 1))
    if [ "$looks" -gt "$1" ]; then return 1; fi
    sleep 1
  done
}
kill -s TERM -- "-$pid" 2>/dev/null || kill -s TERM "$pid"
if ! ends 15; then
  kill -s KILL -- "-$pid" 2>/dev/null || kill -s KILL "$pid"
  ends 5 || exit 1
fi
# A killed job could not record its state.
end_fetcher
case $(head -c 20 "$folder/state" 2>/dev/null) in working*) say_stopped ;; esac
echo stopped
`
