import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { shardOfHost } from '../../../src/inventory/shard-of-host.ts'
import type { DriftDocument } from '../../../src/model/drift.ts'
import { casesOf } from '../../support/series.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { programOnHost, putProgram } from './own-program.ts'

// One more than run at a time.
const shards = casesOf({ short: 5, long: 8 })
const count = casesOf({ short: 16, long: 400 })
const patience = casesOf({ short: 150_000, long: 900_000 })

/** The others answer at once; this one when `/run/held/hold` is gone. */
const held = { name: 'held', address: '127.0.9.1', shard: shardOfHost('held', shards) }
const hosts = new Map(
  Array.from({ length: count - 1 }, (_, at) => [`h${at}`, `127.0.${1 + Math.floor(at / 200)}.${1 + (at % 200)}`]),
)
hosts.set(held.name, held.address)
const inShard = (shard: number) => [...hosts.keys()].filter((name) => shardOfHost(name, shards) === shard).length

const fleet = stringify({
  all: {
    vars: {
      platform: 'linux',
      ansible_ssh_private_key_file: '~/key',
      fleet: { org: 'lab' },
      services: {
        coder: {
          kind: 'A',
          manager: 'systemd',
          port: 9990,
          host: '127.0.0.1',
          model: { path: '/srv/models/coder.gguf' },
          executable: '/usr/bin/llama-server',
        },
      },
    },
    hosts: Object.fromEntries([...hosts].map(([name, ansible_host]) => [name, { ansible_host }])),
  },
})

/** A cluster of one machine, on which a person has converge and the recipe; all addresses of the fleet are those of this machine. */
describe.skipIf(noLab)('shards as a Slurm array', () => {
  let lab: Lab
  let cluster: LabHost

  const asPerson = (command: string) => mustExec(cluster, `cd && ${command}`, { user: 'op' })
  /** @returns the numbers of two jobs: the array, and the one that merges */
  const submit = async (environment = '') => {
    const variables = `CONVERGE_SHARD_RUN_ID=monday SHARDS=${shards} PAUSE=1 ${environment}`
    const said = await asPerson(`${variables} /opt/converge/deploy/slurm/submit drift -i 'my fleet' 2>&1`)
    const [, array = '', merge = ''] = /^Run monday, shards in job (\d+), .*\n(\d+)$/.exec(said) ?? []
    return { array, merge }
  }
  const ended = async (job: string) => {
    const stillThere = async () => (await mustExec(cluster, `squeue --noheader --array --jobs=${job}`)).trim()
    await expect.poll(stillThere, { timeout: patience, interval: 1000 }).toBe('')
    return /JobState=\S+|ExitCode=\S+/g[Symbol.match](await mustExec(cluster, `scontrol show job ${job}`))?.join(' ')
  }
  const merged = () => asPerson('tail -n 3 parts/monday/merged.txt')
  const digests = () => asPerson(`cd parts/monday && sha256sum *.json | grep -v ' ${held.shard}.json$'`)

  beforeAll(async () => {
    lab = await startLab([{ name: 'cluster', kind: 'cluster' }])
    cluster = lab.host('cluster')
    await putProgram(cluster)
    await cluster.copyIn(join(import.meta.dirname, '../../../deploy'), '/opt/converge')
    await cluster.copyIn(cluster.keyFile, '/home/op/key')
    await cluster.exec('cat >/etc/ssh/sshd_config.d/held.conf', { stdin: holds })
    await mustExec(
      cluster,
      `set -e
printf '#!/bin/sh\\nexec ${programOnHost} "$@"\\n' >/usr/local/bin/converge
chmod 755 /usr/local/bin/converge
mkdir -m 1777 /run/held
touch /run/held/hold
systemctl reload ssh
cd /home/op
mkdir .ssh 'my fleet'
printf '127.0.* %s\\n' "$(cat /etc/ssh/lab_host_key.pub)" >.ssh/known_hosts
cat >'my fleet/hosts.yaml'
chown -R op key .ssh 'my fleet'`,
      { stdin: fleet },
    )
  })

  afterAll(() => lab?.stop())

  it('one is cancelled: the report names it as missing, and is whole when it has run again', {
    timeout: 2 * patience,
  }, async () => {
    const { array, merge } = await submit()
    await expect.poll(() => mustExec(cluster, 'ls /run/held'), { timeout: patience }).toContain('reached')
    const task = `${array}_${held.shard}`
    await asPerson(`scancel ${task}`)
    expect(await ended(merge)).toBe('JobState=FAILED ExitCode=4:0')
    const missing = inShard(held.shard)
    expect(await merged()).toMatch(
      new RegExp(`${missing} hosts unreachable \\(${count} hosts\\)\\.
Merged from ${shards - 1} of ${shards} shards of run monday: ${count - missing} of ${count} hosts\\.
Shard ${held.shard}/${shards} is missing: ${missing} hosts unknown\\.$`),
    )
    expect(await mustExec(cluster, `scontrol show job ${task}`)).toContain('JobState=CANCELLED')
    const documents = await digests()

    await mustExec(cluster, 'rm /run/held/hold')
    expect(await ended((await submit(`AGAIN=${held.shard}`)).merge)).toBe('JobState=COMPLETED ExitCode=0:0')
    expect(await merged()).toMatch(
      new RegExp(`\nMerged from ${shards} of ${shards} shards of run monday: ${count} of ${count} hosts\\.$`),
    )
    // The others were not looked at again.
    expect(await digests()).toBe(documents)
    const whole: DriftDocument = JSON.parse(await asPerson('converge report merge parts/monday/*.json --json'))
    expect(whole.hosts.map(({ host, compared }) => (compared ? host : '')).toSorted()).toEqual([...hosts.keys()].toSorted())
  })

  it('are known to converge by what Slurm says, unless only some of them were submitted again', async () => {
    const run = async (array: string) => {
      const output = '--output=%a.hosts --error=%a.errors'
      await ended(await asPerson(`sbatch --parsable --array=${array} ${output} --wrap="converge hosts -i 'my fleet'"`))
    }
    await run('1-3')
    expect((await asPerson('cat ?.hosts')).split('\n').toSorted()).toEqual([...hosts.keys()].toSorted())
    await run('3')
    expect(await asPerson('cat 3.errors')).toContain('USAGE.SHARD')
  })
})

/** Whatever logs in to this address waits before it does what it was asked for. */
const holds = `Match LocalAddress ${held.address}
  ForceCommand touch /run/held/reached; while [ -e /run/held/hold ]; do sleep 0.1; done; exec sh -c "$SSH_ORIGINAL_COMMAND"
`
