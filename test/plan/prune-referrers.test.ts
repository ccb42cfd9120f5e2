import { describe, expect, it } from 'vitest'
import { known, unknown } from '../../src/model/observed.ts'
import { aService } from '../support/build.ts'
import {
  aJob,
  containers,
  entry,
  flagship,
  folder,
  type Given,
  here,
  mark,
  model,
  nodeOf,
  outcome,
  running,
  says,
  second,
} from '../support/prune-case.ts'

const lock = { owner: 'bob', controller: 'lap', runId: 'r1', ageS: 3 }

describe('what was fetched goes or stays', () => {
  it.each<[string, Given, string]>([
    ['a file without a reference', {}, 'remove'],
    ['a folder with its marker', { job: folder }, 'remove'],
    [
      'what an absent service was for',
      { services: [aService({ name: 'coder', state: 'absent', model: { path: model } })] },
      'remove',
    ],
    ['what has a name as another has it', { references: says('/etc/systemd/system/x.service', { node: '65024:1' }) }, 'remove'],
    [
      'a file beside the model of another service',
      { facts: containers({ labels: { ...mark }, command: ['-m', '/models/other.gguf'] }) },
      'remove',
    ],
    [
      'what lies in a folder that is mounted, as a definition says',
      { references: { leads: [{ definition: '/x', node: '9:9', isOption: false }], nodes: { '/srv/models': '9:9' } } },
      'remove',
    ],
    ['what a dead run left locked', { facts: { lock: known({ ...lock, ageS: 500 }) } }, 'remove'],
    [
      'a file beside the model of another server',
      {
        facts: running({ argv: ['llama-server', '-m', '/srv/models/other.gguf'] }),
        references: { nodes: { '/srv/models/other.gguf': '9:1', '/srv/models': '9:9' } },
      },
      'remove',
    ],
    ['with the lock of this very run', { facts: { lock: known(lock) }, over: { runId: 'r1' } }, 'remove'],

    ['a job at work', { job: aJob({ alive: true }) }, 'its download is running'],
    [
      'a stopped service wants it',
      { services: [aService({ name: 'coder', state: 'stopped', model: { path: model } })] },
      'coder refers to it in the inventory',
    ],
    [
      'a service wants another part of it',
      { services: [aService({ name: 'odd', model: { path: second } })] },
      'odd refers to it in the inventory',
    ],
    [
      'a service wants it by a link',
      {
        services: [aService({ name: 'link', model: { path: '/current.gguf' } })],
        references: { nodes: { '/current.gguf': nodeOf(model) } },
      },
      'link refers to it in the inventory',
    ],
    [
      'a service wants the folder above',
      { services: [aService({ name: 'all', kind: 'B', model: { path: '/srv/models' } })] },
      'all refers to it in the inventory',
    ],
    [
      'a service has it among its arguments',
      { services: [aService({ name: 'draft', extraArgs: ['-md', '/x/coder-00001-of-00002.gguf'] })] },
      'draft refers to it in the inventory',
    ],
    [
      'a service wants a file of the folder',
      { job: folder, services: [aService({ name: 'one', model: { path: `${flagship}/config.json` } })] },
      'one refers to it in the inventory',
    ],

    [
      'a server has it mapped',
      { facts: running({ argv: ['x'], mapped: [{ path: model, inode: entry(model).inode }] }) },
      'server llama-server uses it (pid 7)',
    ],
    [
      'a server was started with a link to it',
      {
        facts: running({ argv: ['x', '--model=/l.gguf'], unit: 'coder.service' }),
        references: { nodes: { '/l.gguf': nodeOf(model) } },
      },
      'server coder uses it (pid 7)',
    ],
    [
      'a server was given the folder above',
      { facts: running({ argv: ['x', '--models-dir', '/m'] }), references: { nodes: { '/m': '9:9', '/srv/models': '9:9' } } },
      'server llama-server uses it (pid 7)',
    ],
    [
      'a server in a container has its name',
      {
        facts: running({ container: 'c0ffee', argv: ['x', '-m', '/models/coder-00001-of-00002.gguf'] }),
        references: { mentions: [{ by: { pid: 7 }, name: 'coder-00001-of-00002.gguf', node: '1:1' }] },
      },
      'server llama-server uses it (pid 7)',
    ],
    [
      'another process names it',
      { references: { mentions: [{ by: { pid: 8 }, name: 'coder-00002-of-00002.gguf' }] } },
      'named by process 8',
    ],
    ['a process has it open', { references: { open: [{ pid: 9, path: model }] } }, 'in use by process 9'],

    [
      'a container has it mounted and says nothing of models',
      { facts: containers({}) },
      'container box (exited) has it mounted and may load it',
    ],
    [
      'a container of converge loads it',
      { facts: containers({ labels: mark, command: ['-m', '/models/coder-00001-of-00002.gguf'] }) },
      'container box (exited) has it mounted and may load it',
    ],
    [
      'a container has the file itself mounted',
      { facts: containers({ labels: mark, binds: [`${second}:/model.gguf`] }) },
      'container box (exited) has it mounted and may load it',
    ],
    [
      'a container has its folder mounted',
      { job: folder, facts: containers({ labels: mark, binds: [`${flagship}:/models:ro`] }) },
      'container box (exited) has it mounted and may load it',
    ],

    [
      'a definition has its name',
      { references: says('/etc/systemd/system/x.service') },
      'the definition /etc/systemd/system/x.service refers to it',
    ],
    [
      'a compose file has its name, whatever that leads to here',
      { references: says('/c/compose.yaml', { node: '1:1' }) },
      'the definition /c/compose.yaml refers to it',
    ],
    [
      'a previous definition has it',
      { references: says('/c/compose.yaml.converge-previous') },
      'the previous definition /c/compose.yaml refers to it',
    ],
    ['a record has it', { references: says('/etc/converge/applied/coder.json') }, 'the last apply of coder refers to it'],
    [
      'a definition leads to it',
      { references: { leads: [{ definition: '/x.service', node: nodeOf(model), isOption: false }] } },
      'the definition /x.service refers to it',
    ],
    [
      'a definition gives the folder above',
      { references: { leads: [{ definition: '/x.service', node: '9:9', isOption: true }], nodes: { '/srv': '9:9' } } },
      'the definition /x.service refers to it',
    ],
    [
      'a definition has the name of the folder',
      { job: folder, references: { mentions: [{ by: { definition: '/x.service' }, name: '/flagship' }] } },
      'the definition /x.service refers to it',
    ],
    [
      'another host may load it',
      { over: { elsewhere: [{ host: 'mac', service: 'coder', path: '/Volumes/m/coder-00001-of-00002.gguf' }] } },
      'coder on mac loads a model of this name, perhaps over the network',
    ],
    [
      'it lies where a program loads all',
      { job: aJob({ about: { model: '/home/a/.lmstudio/models/x.gguf', services: [], owner: 'ada', ...here } }) },
      'it is in the folder of LM Studio, which loads any model there',
    ],
    [
      'another inventory fetched it',
      { over: { here: { ...here, inventory: '/other' } } },
      'ada fetched it from /home/ada/inventory on desk for coder, and may still need it there',
    ],
    [
      'for an unknown service',
      { job: aJob({ about: { model, services: ['coder'], owner: 'ada', controller: 'desk', inventory: null } }) },
      'ada fetched it from an unknown inventory on desk for coder, and may still need it there',
    ],

    ['a run is at work', { facts: { lock: known(lock) } }, 'the run r1 of bob@lap is active there'],
    [
      'a run was cut off',
      { facts: { journal: known({ owner: 'bob', controller: 'lap', runId: 'r1', services: [], inDoubt: [] }) } },
      'the run r1 was interrupted there: converge apply settles it',
    ],
    [
      'a server may be put back',
      {
        facts: {
          rollbackTimers: known([
            { id: 'x', state: 'armed', service: 'coder', alive: true, at: 1, owner: 'bob', controller: 'lap', runId: 'r1' },
          ]),
        },
      },
      'a rollback is pending there',
    ],
    [
      'a definition may not be read',
      { references: { unread: ['/etc/systemd/system/x.service'] } },
      'unknown: /etc/systemd/system/x.service cannot be read and may refer to it',
    ],
    ['processes are not known', { facts: { residents: unknown('not-permitted', 'hidepid') } }, 'unknown: its processes: hidepid'],
    ['containers are not known', { facts: { containers: unknown('not-running') } }, 'unknown: its containers: not-running'],
    ['records are not known', { facts: { applied: unknown('unreadable') } }, 'unknown: what was applied there: unreadable'],
    ['the lock is not known', { facts: { lock: unknown('unreadable') } }, 'unknown: whether a run is active there: unreadable'],
    [
      'references are not known',
      { over: { references: unknown('timed-out', 'too slow') } },
      'unknown: what refers to models there: too slow',
    ],
  ])('%s', (_name, given, expected) => {
    expect(outcome(given)).toEqual([expected])
  })
})
