import { describe, expect, it } from 'vitest'
import type { HostFacts } from '../../src/model/facts.ts'
import { known } from '../../src/model/observed.ts'
import type { RecordedJob } from '../../src/model/prune.ts'
import { elsewhereOf } from '../../src/plan/prune/elsewhere.ts'
import { foldersAbove, mentions } from '../../src/plan/prune/names.ts'
import { mountedPath, referenceQuestion } from '../../src/plan/prune/question.ts'
import { aFleet, aHost, aService, someFacts } from '../support/build.ts'
import { aJob, containers, entry, flagship, folder, judge, model, running, second } from '../support/prune-case.ts'

describe('what may go', () => {
  it.each<[string, Partial<RecordedJob>]>([
    ['is larger', { entries: [entry(model, { bytes: 11 })] }],
    ['is another', { entries: [entry(model, { inode: '5' })] }],
    ['was written', { entries: [entry(model, { modified: 1002 })] }],
    ['was changed in its rights', { entries: [entry(model, { changed: 1002 })] }],
    ['is a link', { entries: [entry(model, { type: 'other' })] }],
    ['is not as it was hashed', { entries: [entry(model)], digests: [] }],
    ['is not said to be which', { entries: [entry(model)], fetched: [{ path: model, stamp: null }] }],
  ])('not a file that %s', (_name, more) => {
    const [item, ...rest] = judge({ job: aJob(more) })
    expect(rest).toEqual([])
    expect(item).toMatchObject({ verdict: 'keep', kind: 'file' })
    expect(item?.why).toMatch(/^it changed since it was fetched|^the record does not identify/)
  })

  it('not a file that was there before, nor what only seems to be a part', () => {
    const entries = [entry(second), entry(`${second}.AB12CD34.part`), entry(`${second}.part`), entry('/etc/passwd')]
    expect(judge({ job: aJob({ entries, fetched: [] }) })).toEqual([])
  })

  it('not the marker of a folder of which a file stays', () => {
    const [first, marker] = folder.entries
    const entries = [{ ...entry(`${flagship}/config.json`), ...first, bytes: 11 }, ...(marker === undefined ? [] : [marker])]
    expect(judge({ job: { ...folder, entries } }).map(({ kind, why }) => [kind, why])).toEqual([
      ['file', 'it changed since it was fetched'],
      ['marker', 'files of the model are kept'],
    ])
  })

  it('but the part of another revision of a file that is complete', () => {
    const old = entry(`${model}.00000000.part`)
    const services = [aService({ name: 'coder', model: { path: model } })]
    const seen = (state: RecordedJob['state']) =>
      judge({ services, job: aJob({ state, entries: [entry(model), old] }) }).map(({ verdict }) => verdict)
    expect(seen('done')).toEqual(['keep', 'remove'])
    expect(seen('stopped')).toEqual(['keep', 'keep'])
  })

  it('and a record of which nothing else is left', () => {
    expect(judge({ job: aJob({ entries: [] }) })).toMatchObject([{ kind: 'record', verdict: 'remove', bytes: 0 }])
    const services = [aService({ name: 'coder', model: { path: model } })]
    expect(judge({ job: aJob({ entries: [] }), services })).toEqual([])
  })
})

describe('what is asked', () => {
  it('names as others would call it, paths that may lead to it, and files that may be open', () => {
    const host = aHost({ services: [aService({ model: { path: '/other.gguf' } })] })
    const facts = someFacts(host, {
      ...running({ argv: ['x', '--model=/l.gguf'] }),
      ...containers({ labels: { 'com.docker.compose.project.config_files': '/c/one.yaml,/c/two.yaml' } }),
      definitions: { '@root/compose/x.yaml': known(null) },
    })
    const layout = { user: 'op', home: '/home/op', effectiveUid: 0, root: '/etc/converge' }
    const asked = referenceQuestion(host, facts, layout, [
      { id: '1', job: known(aJob()) },
      { id: '2', job: known(folder) },
    ])
    expect(asked.names).toEqual(['coder-00001-of-00002.gguf', 'coder-00002-of-00002.gguf', '/flagship'])
    expect(asked.paths).toEqual([model, second, '/srv/models', '/srv', flagship, '/other.gguf', '/l.gguf'])
    expect(asked.files).toHaveLength(4)
    expect(asked.definitions).toEqual(['/etc/converge/compose/x.yaml', '/c/one.yaml', '/c/two.yaml'])
  })

  it('names stand for themselves, and not for parts of others', () => {
    const names = ['coder.gguf', '/flagship']
    for (const text of ['-m /x/coder.gguf', 'coder.gguf', 'coder.gguf.bak', '--model=coder.gguf,', '/m/flagship', '/flagship/x'])
      expect([text, mentions(text, names)]).toEqual([text, true])
    for (const text of ['mycoder.gguf', 'coder.gguf2', 'coder.ggufx', 'flagship', '/flagship2', '/flagship-x', ''])
      expect([text, mentions(text, names)]).toEqual([text, false])
  })

  it.each([
    ['/srv/models:/models:ro', '/srv/models'],
    ['/srv/a:b:/models', '/srv/a:b'],
    ['volume:/models', ''],
  ])('%s is mounted from %s', (bind, path) => expect(mountedPath(bind)).toBe(path))

  it('folders above are listed from the nearest one', () => {
    expect(foldersAbove('/a/b/c.gguf')).toEqual(['/a/b', '/a'])
    expect(foldersAbove('/c.gguf')).toEqual([])
  })
})

const at = (boot: string) => known({ os: 'linux', kernel: 'Linux', arch: 'x86_64', hostname: boot, bootId: boot } as const)
const disk = (source: string) => ({ '/m/coder.gguf': known({ freeBytes: 1, totalBytes: 2, source, mount: '/m' }) })

describe('services of other hosts', () => {
  const nas = aHost({ name: 'nas' })
  const mac = aHost({ name: 'mac', services: [aService({ name: 'coder', model: { path: '/m/coder.gguf' } })] })
  const fleet = aFleet({ hosts: [nas, mac] })
  it.each<[string, Partial<HostFacts> | undefined, number]>([
    ['on a disk of its own', { platform: at('two'), disks: disk('/dev/sda1') }, 0],
    ['over the network', { platform: at('two'), disks: disk('nas:/models') }, 1],
    ['over the network of Windows', { platform: at('two'), disks: disk('//op@nas/models') }, 1],
    ['on what is the same machine', { platform: at('one'), disks: disk('/dev/sda1') }, 1],
    ['from an unobserved folder', { platform: at('two') }, 1],
    ['on an unobserved host', undefined, 1],
  ])('may load it %s, or not', (_name, there, count) => {
    const seen = new Map([
      ['nas', someFacts(nas, { platform: at('one') })],
      ...(there === undefined ? [] : [['mac', someFacts(mac, there)] as const]),
    ])
    expect(elsewhereOf(fleet, nas, seen)).toHaveLength(count)
  })
})
