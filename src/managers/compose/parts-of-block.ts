import { isObject } from '../../lib/json-object.ts'
import { joinPaths } from '../../lib/posix-path.ts'
import { shellSplit } from '../../lib/shell-split.ts'
import type { Fields } from '../flag-fields.ts'

/** A container as a block of a compose file describes it, or as it runs. */
export interface Parts {
  readonly image: string | undefined
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  readonly environment: Fields
  readonly ports: readonly PublishedPort[]
  readonly mounts: readonly Mount[]
  /** Everything else, a field for each key. */
  readonly rest: Fields
}

export interface PublishedPort {
  /** Of the host; undefined: unknown. */
  readonly address: string | undefined
  readonly published: string
  /** In the container. */
  readonly target: string
}

/** A folder or file of the host in the container. */
export interface Mount {
  readonly source: string
  readonly target: string
  readonly isReadOnly: boolean
}

/**
 * The parts of one service of a compose file, however they are written: lists or mappings, short or long forms, one text or words.
 *
 * @param folder where relative paths start: that of the file
 */
export function partsOfBlock(block: Readonly<Record<string, unknown>>, folder: string): Parts {
  const { image, entrypoint, command, environment, ports, volumes, labels, ...others } = block
  const published = listOf(ports).map((one, index) => [index, one, portOf(one)] as const)
  const mounted = listOf(volumes).map((one, index) => [index, one, mountOf(one, folder)] as const)
  return {
    image: image === undefined ? undefined : shown(image),
    entrypoint: wordsOf(entrypoint),
    command: wordsOf(command),
    environment: environmentOf(environment),
    ports: published.flatMap(([, , port]) => port ?? []),
    mounts: mounted.flatMap(([, , mount]) => mount ?? []),
    rest: Object.fromEntries([
      ...published.flatMap(([index, one, port]) => (port === undefined ? [[`ports.${index}`, shown(one)] as const] : [])),
      ...mounted.flatMap(([index, one, mount]) => (mount === undefined ? [[`volumes.${index}`, shown(one)] as const] : [])),
      ...labelsOf(labels),
      ...Object.entries(others).map(([key, value]) => [key, shown(value)] as const),
      ...variablesIn(block).map((name) => [`\${${name}}`, ''] as const),
    ]),
  }
}

/** Variables that compose would replace: `${MODELS}`, `$MODELS`. */
function variablesIn(block: unknown): readonly string[] {
  const text = JSON.stringify(block).replaceAll('$$', '')
  return [...new Set([...text.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name = '']) => name))]
}

function listOf(node: unknown): readonly unknown[] {
  return Array.isArray(node) ? node : []
}

function wordsOf(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.map(shown)
  if (node === undefined || node === null) return []
  const text = shown(node)
  return shellSplit(text) ?? [text]
}

/** A variable without a value has that of the shell that runs compose. */
const fromShell = '(that of the shell)'

function environmentOf(node: unknown): Fields {
  const entries = Array.isArray(node)
    ? node
        .map((one: unknown) => /^([^=]*)(?:=(.*))?$/s.exec(shown(one)) ?? [])
        .map(([, name = '', value = fromShell]) => [name, value] as const)
    : Object.entries(isObject(node) ? node : {}).map(
        ([name, value]) => [name, value === null ? fromShell : shown(value)] as const,
      )
  return Object.fromEntries(entries)
}

/** Those of converge only say that a container is managed. */
function labelsOf(node: unknown): readonly (readonly [string, string])[] {
  return Object.entries(environmentOf(node))
    .filter(([name]) => !name.startsWith('converge.'))
    .map(([name, value]) => [`labels.${name}`, value] as const)
}

/** `[address:]published:target[/tcp]`, or the long form. Undefined: a range, a port that the engine chooses, or UDP. */
function portOf(node: unknown): PublishedPort | undefined {
  if (isObject(node)) {
    const { target, published, host_ip: address = '', protocol = 'tcp' } = node
    if (!isPort(target) || !isPort(published) || protocol !== 'tcp') return undefined
    return { address: everywhere(shown(address)), published: String(published), target: String(target) }
  }
  const [, inBrackets, plain, published, target] = /^(?:(?:\[(.*)\]|([\d.]*)):)?(\d+):(\d+)(?:\/tcp)?$/.exec(shown(node)) ?? []
  if (published === undefined || target === undefined) return undefined
  return { address: everywhere(inBrackets ?? plain ?? ''), published, target }
}

function isPort(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))
}

function everywhere(address: string): string {
  return address === '' || address === '::' ? '0.0.0.0' : address
}

/** Only of a path of the host: a named volume has its files elsewhere. Options other than `ro` and `rw` are no difference for a reader. */
function mountOf(node: unknown, folder: string): Mount | undefined {
  if (isObject(node)) {
    const { type, source, target, read_only: isReadOnly = false, ...more } = node
    if (type !== 'bind' || typeof source !== 'string' || typeof target !== 'string' || Object.keys(more).length > 0)
      return undefined
    return bindMount(shown(source), shown(target), isReadOnly === true, folder)
  }
  return mountIn(shown(node), folder)
}

/** `source:target[:options]` */
export function mountIn(text: string, folder = '/'): Mount | undefined {
  const [, source = '', target = '', options = ''] = /^([^:]+):(\/[^:]*)(?::([^:]*))?$/.exec(text) ?? []
  return bindMount(source, target, options.split(',').includes('ro'), folder)
}

/** PATH_MAX of Linux. */
const longestPath = 4096

function bindMount(source: string, target: string, isReadOnly: boolean, folder: string): Mount | undefined {
  const path = source.startsWith('/') ? source : /^\.\.?(\/|$)/.test(source) ? joined(folder, source) : undefined
  return path === undefined || target === '' || path.length > longestPath || target.length > longestPath
    ? undefined
    : { source: path.replace(/(?<=.)\/+$/, ''), target: target.replace(/(?<=.)\/+$/, ''), isReadOnly }
}

/** Resolves `.` and `..` at the start of a path. */
function joined(folder: string, path: string): string {
  const parts = joinPaths(folder, path).split('/')
  const kept = parts.reduce<readonly string[]>(
    (all, part) => (part === '.' || part === '' ? all : part === '..' ? all.slice(0, -1) : [...all, part]),
    [],
  )
  return `/${kept.join('/')}`
}

/** A value as compose reads it, on one line. */
function shown(leaf: unknown): string {
  return (typeof leaf === 'string' ? leaf : JSON.stringify(leaf)).replaceAll('$$', '$')
}
