import { expect, it } from 'vitest'
import { readFetchRecords } from '../../src/facts/fetch-records.ts'
import { readReferences } from '../../src/facts/references.ts'

const hex = 'a'.repeat(64)
const about = JSON.stringify({ model: '/m/x.gguf', services: ['x'], owner: 'o', controller: 'c', inventory: '/i' })
const lines = [
  'state there',
  'job 0123456789abcdef',
  'alive no',
  'said done',
  `about ${about}`,
  'wants 1',
  `want 10 sha256 ${hex} /m/x.gguf`,
  'fetched 2',
  'made 10 7 1000 1001 /m/x.gguf',
  'made /m/old.gguf',
  'digests 1',
  `digest sha256 ${hex} 10 7 1000 1002 /m/x.gguf`,
  'entries 3',
  'entry 81a4 10 7 1000 1002 65024 /m/x.gguf',
  'entry 41ed 4096 8 1000 1002 65024 /m/x.gguf.aaaaaaaa.part.hub',
  'tree 20 12:34 /m/x.gguf.aaaaaaaa.part.hub',
  'job fedcba9876543210',
  'hidden',
  'whole',
]
const text = (some: readonly string[]) => `${some.join('\n')}\n`

it('what a host keeps of its downloads is read', () => {
  const digest = { kind: 'sha256', hex }
  const stamp = { bytes: 10, inode: '7', modified: 1000 }
  const folder = { bytes: 4096, inode: '8', modified: 1000, changed: 1002, device: '65024' }
  expect(readFetchRecords(text(lines))).toEqual({
    known: true,
    value: [
      {
        id: '0123456789abcdef',
        job: {
          known: true,
          value: {
            about: { model: '/m/x.gguf', services: ['x'], owner: 'o', controller: 'c', inventory: '/i' },
            alive: false,
            state: 'done',
            wants: [{ path: '/m/x.gguf', digest }],
            fetched: [
              { path: '/m/x.gguf', stamp },
              { path: '/m/old.gguf', stamp: null },
            ],
            digests: [{ path: '/m/x.gguf', ...stamp, changed: 1002, digest }],
            entries: [
              { path: '/m/x.gguf', type: 'file', device: '65024', ...stamp, changed: 1002 },
              { path: '/m/x.gguf.aaaaaaaa.part.hub', type: 'folder', ...folder, tree: { bytes: 20, sum: '12:34' } },
            ],
          },
        },
      },
      { id: 'fedcba9876543210', job: { known: false, because: 'not-permitted', detail: expect.any(String) } },
    ],
  })
  expect(readFetchRecords('state absent\nwhole\n')).toEqual({ known: true, value: [] })
  expect(readFetchRecords('state hidden\nwhole\n')).toMatchObject({ known: false, because: 'not-permitted' })
})

it('the output of a Mac is read as well', () => {
  const mac = lines.map((line) => line.replace('entry 81a4', 'entry 100644').replace('entry 41ed', 'entry 40755'))
  expect(readFetchRecords(text(mac))).toEqual(readFetchRecords(text(lines)))
  const link = lines.map((line) => line.replace('entry 81a4', 'entry a1ff'))
  expect(JSON.stringify(readFetchRecords(text(link)))).toContain('"type":"other"')
})

it.each(lines.map((line, index) => [line, index] as const))(
  'what ends before %s, misses that or has it twice is unknown',
  (line, index) => {
    const damaged = [lines.slice(0, index), lines.toSpliced(index, 1), lines.toSpliced(index, 0, line)]
    expect(damaged.map((some) => readFetchRecords(text(some)).known)).toEqual([false, false, false])
  },
)

it.each([
  ['a path that leads back', 'entry 81a4 10 7 1000 1002 65024 /m/../etc/passwd'],
  ['a path that is not absolute', 'entry 81a4 10 7 1000 1002 65024 etc/passwd'],
  ['an invalid number', 'entry 81a4 1e9 7 1000 1002 65024 /m/x.gguf'],
])('%s is not believed', (_name, entry) => {
  expect(readFetchRecords(text(lines.with(13, entry))).known).toBe(false)
})

it('a record that does not say for whom it was is unknown by itself', () => {
  const read = readFetchRecords(text(lines.with(4, 'about {"model":"x"}')))
  expect(read).toMatchObject({ known: true, value: [{ job: { known: false } }, {}] })
})

it('what refers to models is read, whole or not at all', () => {
  const said = [
    'node 1:2 /m/a b.gguf',
    'says 1 - /etc/systemd/system/a b.service',
    'runs 2 1:2 77',
    'leads 1:2 option /x.service',
    'open 8 /m/a b.gguf',
    'unread /y.service',
    'whole',
  ]
  const names = ['a b.gguf', '/folder']
  expect(readReferences(text(said), names)).toEqual({
    known: true,
    value: {
      nodes: { '/m/a b.gguf': '1:2' },
      mentions: [
        { by: { definition: '/etc/systemd/system/a b.service' }, name: 'a b.gguf' },
        { by: { pid: 77 }, name: '/folder', node: '1:2' },
      ],
      leads: [{ definition: '/x.service', node: '1:2', isOption: true }],
      open: [{ pid: 8, path: '/m/a b.gguf' }],
      unread: ['/y.service'],
    },
  })
  const strange = ['says 3 - /x', 'runs 1 - x', 'leads 1:2 maybe /x', 'node 1 /x', 'open x /m', 'garbage', '']
  expect(strange.filter((line) => readReferences(text([line, 'whole']), names).known)).toEqual([])
  expect(readReferences(text(said.slice(0, -1)), names).known).toBe(false)
})
