import { expect, test } from 'vitest'
import { managers } from '../../src/managers/index.ts'
import type { LogSource } from '../../src/managers/supervisor.ts'
import type { DefinitionFile } from '../../src/model/facts.ts'
import type { LaunchAgent } from '../../src/model/launchd-fact.ts'
import type { ManagerName } from '../../src/model/names.ts'
import { known } from '../../src/model/observed.ts'
import { aHost, aService, someFacts } from '../support/build.ts'

interface Seen {
  readonly content?: string
  readonly overlay?: string
  readonly agent?: Partial<LaunchAgent>
}

function logs(manager: ManagerName, { content, overlay, agent }: Seen = {}): readonly LogSource[] | undefined {
  const service = aService({ name: 'coder', manager })
  const facts = someFacts(aHost({ services: [service], platform: manager === 'launchd' ? 'macos' : 'linux' }))
  const [asked = ''] = managers[manager].asks(service, 'example').definitions
  const file: DefinitionFile = { path: asked, digest: '', content: content ?? '', mode: 0o644, owner: 'op', mark: null }
  const agents = { 'com.example.coder': { label: 'com.example.coder', pid: 1, lastExit: null, ...agent } }
  const seen = {
    ...facts,
    ...(content === undefined ? {} : { definitions: { [asked]: known(overlay === undefined ? file : { ...file, overlay }) } }),
    ...(agent === undefined ? {} : { launchd: known({ agents, disabled: known([]), managerName: known('Aqua') }) }),
  }
  return managers[manager].supervisor(service, seen, 'example')?.logs
}

const file = (path: string): LogSource => ({ in: 'file', path })
const journal: LogSource = { in: 'journal', unit: 'coder.service' }
const plist = (keys: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict><key>Label</key><string>com.example.coder</string>${keys}</dict></plist>`

test('the log of a unit is in the journal, and where the unit or a drop-in redirects it', () => {
  expect(logs('systemd')).toEqual([journal])
  expect(logs('systemd', { content: '[Service]\nExecStart=/x\nStandardOutput=journal\n' })).toEqual([journal])
  const content = '[Service]\nExecStart=/x\nStandardOutput=append:/var/log/coder.log\nStandardError=inherit\n'
  expect(logs('systemd', { content })).toEqual([journal, file('/var/log/coder.log')])
  expect(logs('systemd', { content, overlay: '[Service]\nStandardOutput=null\nStandardError=file:/tmp/e\n' })).toEqual([
    journal,
    file('/tmp/e'),
  ])
})

test('the log of an agent is where its job and its property list say', () => {
  expect(logs('launchd')).toEqual([file('/home/op/Library/Logs/converge/coder.log')])
  const content = plist(
    '<key>StandardOutPath</key><string>/tmp/out</string><key>StandardErrorPath</key><string>/tmp/err</string>',
  )
  expect(logs('launchd', { content })).toEqual([file('/tmp/out'), file('/tmp/err')])
  expect(logs('launchd', { content, agent: { stdoutPath: '/tmp/loaded' } })).toEqual(
    ['/tmp/loaded', '/tmp/out', '/tmp/err'].map(file),
  )
  expect(logs('launchd', { content: plist('<key>StandardOutPath</key><string>/dev/null</string>') })).toEqual([])
})

test('the log of a container is asked of its engine', () => {
  expect(logs('compose')).toEqual([{ in: 'container', docker: '/usr/bin/docker', name: 'coder' }])
})
