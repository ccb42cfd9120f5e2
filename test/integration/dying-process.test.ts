import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { processesLinux } from '../../src/facts/processes-linux.ts'

/**
 * A process that ends while its command line is read: the kernel answers the next `read` of `/proc/PID/cmdline` with ESRCH, and bash leaves
 * what it read before in the variable, as this `read` does.
 */
const dying = `calls=0
read() {
  calls=$((calls + 1))
  [ "$calls" -gt 1 ] || part=llama-server
  return $((calls > 1))
}`

it.each([['dash'], ['busybox', 'sh'], ['bash', '--posix']])(
  'a process that exits while it is read ends the probe: %s',
  (...shell) => {
    const [program = 'sh', ...options] = shell
    const joined = /^joined\(\) \{\n.*?\n\}$/ms.exec(processesLinux)?.[0] ?? ''
    const script = `${dying}\n${joined}\njoined /dev/null\nprintf '%s after %s' "$line" "$calls"`
    expect(execFileSync(program, [...options, '-c', script], { encoding: 'utf8', timeout: 10_000 })).toBe('llama-server after 2')
  },
)
