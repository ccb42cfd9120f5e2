import type { EndedServer } from '../model/action.ts'
import type { Check, RunStep } from '../model/step.ts'

/**
 * Ends a process that no supervisor runs, with one signal, and waits. One that does not end is left alone: converge kills nothing that it does
 * not manage.
 *
 * @param graceS seconds that it gets to end
 * @param unchanged checks that the pid still belongs to the same process
 */
export function endProcess({ pid }: Pick<EndedServer, 'pid'>, graceS: number, unchanged: readonly Check[]): RunStep {
  const script = `kill -TERM "$1" || exit 1
waited=0
while kill -0 "$1" 2>/dev/null; do
  case $(ps -o stat= -p "$1" 2>/dev/null) in '' | Z*) exit 0 ;; esac
  if [ "$waited" -ge "$2" ]; then echo "process $1 did not end within $2 seconds"; exit 1; fi
  waited=$((waited + 1))
  sleep 1
done`
  return {
    do: 'run',
    label: `end process ${pid}, which no supervisor runs`,
    server: true,
    guards: unchanged,
    script,
    args: [String(pid), String(graceS)],
    timeoutMs: graceS * 1000 + 60_000,
  }
}
