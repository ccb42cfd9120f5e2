import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The words before a command that have its processes, connections and opened files written to an empty `folder`. */
export async function tracing(folder: string): Promise<[string, ...string[]]> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  // The kernel stops a process only at calls that are written. One file per thread: in a shared one, a call during which another thread makes one is on two lines, neither of them complete.
  return [
    'strace',
    '-ff',
    '--seccomp-bpf',
    '-qq',
    '-s',
    '4096',
    '-e',
    'trace=process,%network,open,openat,openat2,creat',
    '-o',
    join(folder, 'log'),
  ]
}

/** The calls that succeeded. */
export async function systemCalls(folder: string): Promise<readonly string[]> {
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
  return texts.flatMap((text) => text.split('\n')).filter((line) => !/= -1 E/.test(line))
}
