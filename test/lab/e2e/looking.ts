import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mustExec } from '../host.ts'
import type { Lab } from '../hosts.ts'
import { createKey } from '../keys.ts'
import { until } from './model-server.ts'

export const scripts: string = fileURLToPath(new URL('../../../scripts/', import.meta.url))

/**
 * Names, kinds, modes, owners, sizes, times and links of whatever is no log. The second time is that of the last change, which no program
 * can set: a file whose content was replaced shows it. A Kind B keeps count of its answers beside its model, and an engine that asks a container for its health leaves the time of that on /tmp
 * and, for a moment, a file there with the orders for runc. containerd collects garbage in its database.
 */
const ofServers =
  '-path /var/log -prune -o -name "*-json.log" -o -path "/srv/models/flagship*" -o -path "/tmp/runc-process*" -o -path "*/io.containerd.metadata.v1.bolt/meta.db"'
const files = `find /etc /home /root /opt /srv /usr /tmp/* /tmp/.[!.]* /var ${ofServers} -o -printf '%p %y %m %U:%G %s %T@ %C@ %l\\n' 2>/dev/null; :`

/** Sets up the hosts as docs/read-only.md says; the ssh config of who has that key and no other. */
export async function keyThatOnlyLooks(lab: Lab): Promise<string> {
  const key = await createKey(lab.directory, 'looking')
  const [forced] = /^restrict,.*"$/m.exec(await readFile(join(scripts, '../docs/read-only.md'), 'utf8')) ?? []
  for (const host of lab.hosts) {
    await host.copyIn(join(scripts, 'converge-look'), '/usr/local/sbin')
    await mustExec(
      host,
      'install -d -m 700 -o op /home/op/.ssh && cat >/home/op/.ssh/authorized_keys && chown op /home/op/.ssh/authorized_keys',
      {
        stdin: `${forced} ${key.publicKey}`,
      },
    )
  }
  const config = join(lab.directory, 'looking_config')
  const text = await readFile(lab.sshConfigFile, 'utf8')
  await writeFile(config, text.replaceAll(/^( *IdentityFile) .*$/gm, `$1 ${key.file}`))
  return config
}

export async function filesOf(lab: Lab): Promise<ReadonlySet<string>> {
  const lists = await Promise.all(
    lab.hosts.map(async (host) => (await mustExec(host, files)).split('\n').map((line) => `${host.name} ${line}`)),
  )
  return new Set(lists.flat())
}

/** What is changed for good; the engine of a NAS touches files of its own now and then. */
export async function changedSince(lab: Lab, before: ReadonlySet<string>): Promise<readonly string[]> {
  const look = async () => {
    const now = await filesOf(lab)
    return [...[...before].filter((line) => !now.has(line)), ...[...now].filter((line) => !before.has(line))]
  }
  return until(look, (lines) => lines.length === 0, 3000)
}
