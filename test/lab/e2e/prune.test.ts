import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PruneDocument } from '../../../src/report/prune-text.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { filesIn } from './fetch-runs.ts'
import { type LabHub, startLabHub, tinyShards } from './lab-hub.ts'
import { chat } from './model-server.ts'
import { expectExit, expectWords, kindA, machine, openSite, type Site } from './site.ts'

const folder = '/srv/models/pruned'
const writer = { bytes: 3_000_000, seed: 'writer' }

describe.skipIf(noLab)('converge prune on a machine with systemd', () => {
  let lab: Lab
  let site: Site
  let metal: LabHost
  beforeAll(async () => {
    lab = await startLab([{ name: 'metal', kind: 'metal' }])
    metal = lab.host('metal')
    site = await openSite(lab.sshConfigFile)
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  const pruned = async (code: number, ...args: readonly string[]) => {
    const { stdout } = expectExit(await site.run(['prune', '--json', ...args]), code)
    const document: PruneDocument = JSON.parse(stdout)
    expect(document.schema).toBe('converge/prune/v1')
    const [host, ...more] = document.hosts
    expect(more).toEqual([])
    if (host === undefined) throw new Error(stdout)
    return { ...host, by: (state: string) => host.items.filter((one) => one.state === state).map(({ path }) => path) }
  }

  it('of two models the one that was dropped goes with its parts, and the other is served on', async () => {
    const shards = await tinyShards(lab)
    await using hub = await startLabHub(lab, { ...shards, 'writer.gguf': writer })
    const names = Object.keys(shards)
    const coder = server(hub, `${folder}/${names[0]}`, 'tiny-*', 9990)
    await site.write({ metal: machine({ coder, writer: server(hub, `${folder}/writer.gguf`, 'writer.gguf', 9991) }) })
    expectExit(await site.run(['fetch', '--follow']), 0)
    expectExit(await site.run(['apply', '-y', '--service', 'coder']), 0)
    expect(await pruned(0, '--check')).toMatchObject({ bytes: 0, items: expect.arrayContaining([]) })

    await mustExec(metal, `echo mine >${folder}/mine.gguf && ln -s ${folder}/mine.gguf ${folder}/writer.gguf.bak`)
    await mustExec(metal, `echo part >${folder}/writer.gguf.0123abcd.part`)
    await site.write({ metal: machine({ coder }) })
    const gone = [`${folder}/writer.gguf`, `${folder}/writer.gguf.0123abcd.part`]
    const check = await pruned(2, '--check')
    expect(check.by('to-remove').toSorted()).toEqual(gone)
    expect(check.bytes).toBe(writer.bytes + 5)
    expect(check.by('kept').toSorted()).toEqual(names.map((name) => `${folder}/${name}`))
    expect(new Set(check.items.filter(({ state }) => state === 'kept').map(({ why }) => why))).toEqual(
      new Set([expect.stringMatching(/^server coder uses it \(pid \d+\)$/)]),
    )
    expectWords(expectExit(await site.run(['prune']), 64).stderr, ['There is no terminal to ask for confirmation.'])

    // A foreign unit serves it, and is stopped.
    await mustExec(metal, `printf '[Service]\\nExecStart=/bin/true -m ${folder}/writer.gguf\\n' >/etc/systemd/system/own.service`)
    // What is left of another revision goes all the same.
    expect((await pruned(2, '--check')).items).toContainEqual(
      expect.objectContaining({ state: 'kept', why: 'the definition /etc/systemd/system/own.service refers to it' }),
    )
    await mustExec(metal, 'rm /etc/systemd/system/own.service')

    const free = () => mustExec(metal, `du -sb ${folder} | cut -f 1`).then(Number)
    const before = await free()
    const done = await pruned(0, '-y')
    expect(done.by('removed').toSorted()).toEqual(gone)
    expect(done.bytes).toBe(writer.bytes + 5)
    expect(before - (await free())).toBe(writer.bytes + 5)
    expect(Object.keys(await filesIn(metal, folder)).toSorted()).toEqual(['mine.gguf', ...names, 'writer.gguf.bak'].toSorted())
    expect(await mustExec(metal, 'ls /etc/converge/fetch | wc -l')).toBe('1')
    expect(await chat(metal, 9990, 'coder')).toMatchObject({ status: 200 })
    expect((await pruned(0, '--check')).by('to-remove')).toEqual([])
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
  })
})

/** By systemd, of a model from the hub. */
function server(hub: LabHub, path: string, file: string, port: number) {
  const model = { path, source: hub.source({ files: [file] }) }
  return kindA({ manager: 'systemd', executable: '/usr/bin/llama-server', port, model })
}
