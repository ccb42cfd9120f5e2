import { binaryBytes } from '../lib/binary-bytes.ts'
import { converge } from '../lib/next-command.ts'
import { shownLine } from '../lib/visible-text.ts'
import type { AdoptDocument, FoundServer } from '../model/adopt-document.ts'
import type { HostFacts } from '../model/facts.ts'
import type { NextStep } from '../model/next-step.ts'
import type { Problem } from '../model/plan.ts'
import { renderAdoption } from './adopt-text.ts'
import type { Paint } from './paint.ts'
import { nextLines, renderUnreachable } from './problem-text.ts'

/** What `init` saw of a host. */
export interface InitHost {
  readonly name: string
  readonly facts: HostFacts | Problem
  /** Root is needed: sudo gives it without a password, or not. */
  readonly root?: 'sudo' | 'password'
}

/** A line for each host, then the problems of those that were unreachable. */
export function renderInitHosts(hosts: readonly InitHost[], paint: Paint): string {
  const width = Math.max(...hosts.map(({ name }) => name.length))
  const lines = hosts.flatMap(({ name, facts, root }) =>
    'salt' in facts ? [`${paint(['bold'], name.padEnd(width))}  ${paint.hang}${hostWords(facts, root)}\n`] : [],
  )
  const problems = hosts.flatMap(({ name, facts }) => ('salt' in facts ? [] : [`${renderUnreachable(name, facts, paint)}\n`]))
  return [lines.join(''), ...problems].filter((block) => block !== '').join('\n')
}

function hostWords({ platform, memory, layout }: HostFacts, root: InitHost['root']): string {
  const words = [
    platform.known ? `${platform.value.distribution ?? platform.value.os}, ${platform.value.arch}` : 'unknown system',
    memory.known ? `${binaryBytes(memory.value.totalBytes)} of RAM` : 'unknown RAM',
    `login ${layout.known ? layout.value.user : 'unknown'}${root === undefined ? '' : `, ${rootWords[root]}`}`,
  ]
  return shownLine(words.join(', '))
}

const rootWords = { sudo: 'root with sudo', password: 'no root: sudo needs a password' } as const

/** The servers that run on the hosts, and why some cannot be adopted. */
export function renderInitServers(document: Omit<AdoptDocument, 'written'>, paint: Paint): string {
  return renderAdoption({ ...document, files: [], written: true }, { paint, verbose: false })
}

/** @param paths of the new files, below the folder */
export function renderNewFiles(folder: string, paths: readonly string[], paint: Paint): string {
  const own = paths.filter((path) => !path.startsWith('.')).toSorted()
  const schemas = own.length < paths.length ? ', and schemas for editors' : ''
  return `${paint(['bold'], 'A new inventory:')} ${folder}\n  ${own.join(', ')}${schemas}\n`
}

/** A new inventory that was written, and what it has of the hosts. */
export interface InitResult {
  readonly folder: string
  readonly hosts: readonly InitHost[]
  readonly document: Omit<AdoptDocument, 'written'>
}

/** What to do after the inventory is written. */
export function stepsAfterInit({ folder, hosts: all, document: { hosts } }: InitResult): readonly NextStep[] {
  const having = (is: (server: FoundServer) => boolean) => hosts.filter(({ servers }) => servers.some(is)).map(({ host }) => host)
  const adopted = having(({ adoptable }) => adoptable === 'adopt')
  const unreachable = all.filter(({ facts }) => !('salt' in facts)).map(({ name }) => name)
  const first = all.find(({ facts }) => 'salt' in facts)
  return [
    ...stepFor(adopted, (names) => converge(['apply', '--limit', names], { say: 'Take the servers over, without a restart:' })),
    ...stepFor(having(isKeyMissing), (names) =>
      converge(['adopt', names, '--key-file', 'keys', '--write'], { say: 'Adopt servers, and store their API keys in files:' }),
    ),
    ...stepFor(
      having(({ adoptable }) => adoptable === 'restart'),
      (names) => converge(['adopt', names], { say: 'See again what only a restart can take over:' }),
    ),
    ...stepFor(unreachable, (names) => `Uncomment ${names} in hosts.yaml when it can be reached.`),
    ...(first === undefined || having(({ adoptable }) => adoptable !== 'no').length > 0
      ? []
      : stepsWithoutServers(folder, first)),
  ]
}

function stepFor(hosts: readonly string[], step: (names: string) => NextStep): readonly NextStep[] {
  return hosts.length === 0 ? [] : [step(hosts.join(','))]
}

function isKeyMissing({ key, reasons }: FoundServer): boolean {
  return key !== null && reasons.some(({ code }) => code === 'KEY.MISSING')
}

function stepsWithoutServers(folder: string, { name, facts }: InitHost): readonly NextStep[] {
  const isMac = 'salt' in facts && facts.platform.known && facts.platform.value.os === 'macos'
  return [
    converge(['init', '--example', isMac ? 'mac' : 'box', '-i', 'example'], { say: 'Write an example of a server:' }),
    `Copy its services to ${folder}/host_vars/${name}.yaml, and change them.`,
    converge(['plan'], { say: 'Then:' }),
  ]
}

export function renderStepsAfter(steps: readonly NextStep[], paint: Paint): string {
  return `${nextLines(steps, paint).join('\n')}\n`
}
