import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The programs of a NAS that has BusyBox for everything, in a folder of their own. */
export interface BusyboxFolder extends AsyncDisposable {
  readonly path: string
}

export async function busyboxFolder(): Promise<BusyboxFolder> {
  const path = await mkdtemp(join(tmpdir(), 'converge-busybox-'))
  const applets = execFileSync('busybox', ['--list'], { encoding: 'utf8' }).trim().split('\n')
  await Promise.all(applets.map((applet) => symlink('/bin/busybox', join(path, applet))))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
