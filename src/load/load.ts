import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { hasErrors, sortIssues } from '../inventory/issues.ts'
import { type ParsedFile, parseYaml } from '../inventory/parse.ts'
import type { EditableInventory } from '../inventory/place-services.ts'
import { readFleet } from '../inventory/read-fleet.ts'
import { readPlaybook } from '../inventory/read-playbook.ts'
import { issueAbout, issueOutside, sourceText } from '../inventory/source-text.ts'
import { converge, shell } from '../lib/next-command.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import type { FileEdit } from '../model/file-edit.ts'
import type { Fleet } from '../model/fleet.ts'
import type { InventoryIssue } from '../model/issue.ts'
import type { NextStep } from '../model/next-step.ts'
import type { Play } from '../model/playbook.ts'
import { findBesideFile, findInDirectory } from './find-files.ts'
import { invalid } from './invalid.ts'
import { type PlannedTexts, plannedTexts, plannedVars, realPath } from './planned-texts.ts'
import { readSource, reasonOf } from './read-source.ts'
import { leadsAstray, leadsOut, type RealFolder, realFolder } from './real-folder.ts'

/** How far the files are trusted. */
export interface LoadOptions {
  /** They may be untrusted: links out of them are neither read nor listed. */
  readonly isClosed?: boolean
  /** The inventory is read as if these were written. A new file is read if it is in `host_vars/`. */
  readonly edits?: readonly FileEdit[]
}

/**
 * The inventory at a path, a folder or a single file. Throws one `INVENTORY.INVALID` with all of its mistakes, and `INVENTORY.NOT_FOUND` if
 * there is nothing.
 */
export async function loadInventory(
  path: string,
  options: LoadOptions = {},
): Promise<{ fleet: Fleet; warnings: readonly InventoryIssue[] }> {
  const { files, issues } = await readFiles(path, options)
  // Without all files the rest cannot be judged: another file may refer to the missing one.
  const reading = files === undefined ? { fleet: undefined, issues: [] } : readFleet(files)
  const all = sortIssues([...issues, ...reading.issues])
  if (reading.fleet === undefined) throw invalid('INVENTORY.INVALID', path, all)
  return { fleet: reading.fleet, warnings: all }
}

/** The files of an inventory, to edit them. Throws as `loadInventory` does, but only judges whether the files can be read. */
export async function loadInventoryFiles(path: string, options: LoadOptions = {}): Promise<EditableInventory> {
  const { files, issues } = await readFiles(path, options)
  const all = [...issues, ...[...(files?.hosts ?? []), ...(files?.vars ?? [])].flatMap((file) => file.issues)]
  if (files === undefined || hasErrors(all)) throw invalid('INVENTORY.INVALID', path, sortIssues(all))
  return files
}

/** The plays of a playbook, in order. Throws one `PLAYBOOK.INVALID` or `PLAYBOOK.NOT_FOUND`. */
export async function loadPlaybook(
  path: string,
  { isClosed = false }: LoadOptions = {},
): Promise<{ plays: readonly Play[]; warnings: readonly InventoryIssue[] }> {
  if (isClosed && leadsAstray(path)) throw invalid('PLAYBOOK.INVALID', path, [issueOutside(path)])
  const folder = await folderOf(path, 'PLAYBOOK.NOT_FOUND')
  const file = await readParsed(path, await realFolder(folder, { isClosed, named: path }))
  const { plays, issues } = 'root' in file ? readPlaybook(file) : { plays: undefined, issues: [file] }
  if (plays === undefined) throw invalid('PLAYBOOK.INVALID', path, issues)
  return { plays, warnings: issues }
}

/** Paths of files, and planned texts of some. */
type Reading = RealFolder & { readonly planned?: PlannedTexts }

/** Without files if one of the issues is an error. */
async function readFiles(
  path: string,
  { isClosed = false, edits = [] }: LoadOptions,
): Promise<{ files: EditableInventory | undefined; issues: readonly InventoryIssue[] }> {
  if (isClosed && leadsAstray(path)) throw invalid('INVENTORY.INVALID', path, [issueOutside(path)])
  const folder = await folderOf(path)
  const planned = await plannedTexts(edits)
  const within = { ...(await realFolder(folder, { isClosed, named: path })), planned }
  const found = folder === path ? await findInDirectory(path, within) : await findBesideFile(path, folder, within)
  const hosts = await readAll(found.hosts, (file) => readHostsFile(file, within))
  const foundVars = [...found.vars, ...(await plannedVars(folder, planned, found.vars))]
  const vars = await readAll(
    foundVars.map((file) => file.path),
    (file) => readParsed(file, within),
  )
  const issues = [...found.issues, ...hosts.failures, ...vars.failures]
  if (hasErrors(issues)) return { files: undefined, issues }
  const varsFiles = foundVars.flatMap(({ path: at, level, owner }) => {
    const file = vars.files.get(at)
    return file === undefined ? [] : [{ ...file, level, owner }]
  })
  const { hostFolders } = found
  return { files: { path, folder, hosts: [...hosts.files.values()], vars: varsFiles, hostFolders }, issues }
}

/** Number of files read concurrently; more would reach the limit on open files. */
const sideBySide = 64

async function inBatches<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const done: R[] = []
  for (let at = 0; at < items.length; at += sideBySide)
    done.push(...(await Promise.all(items.slice(at, at + sideBySide).map(work))))
  return done
}

/** By path. A file that several links lead to is read once; positions in it use the first link. */
async function readAll(
  paths: readonly string[],
  read: (path: string) => Promise<ParsedFile | InventoryIssue>,
): Promise<{ files: ReadonlyMap<string, ParsedFile>; failures: readonly InventoryIssue[] }> {
  const real = await inBatches(paths, (path) => realpath(path).catch(() => path))
  const firsts = new Map(paths.map((path, index) => [real[index] ?? path, path] as const).toReversed())
  const contents = await inBatches([...firsts], async ([id, path]) => [id, await read(path)] as const)
  const found = new Map(contents)
  const files = new Map<string, ParsedFile>()
  const failures: InventoryIssue[] = []
  for (const [index, path] of paths.entries()) {
    const file = found.get(real[index] ?? path)
    if (file === undefined) continue
    if ('root' in file) files.set(path, { ...file, source: { ...file.source, file: path } })
    else failures.push({ ...file, at: { ...file.at, file: path } })
  }
  return { files, failures }
}

async function readParsed(path: string, within: Reading): Promise<ParsedFile | InventoryIssue> {
  const isOutside = await leadsOut(within, path)
  if (isOutside && within.isClosed) return issueOutside(path)
  const quoting = isOutside ? 'nothing' : 'context'
  const text = within.planned?.get(await realPath(path))
  const source = text === undefined ? await readSource(path, quoting) : sourceText(path, text.replace(/^\uFEFF/, ''), quoting)
  return 'text' in source ? parseYaml(source) : source
}

/** A file that names hosts, in the format that converge reads. */
async function readHostsFile(path: string, within: Reading): Promise<ParsedFile | InventoryIssue> {
  const file = await readParsed(path, within)
  if (!('root' in file)) return file
  if (file.isEncrypted === true) return issueAbout(path, 'error', 'INPUT.NOT_READ', encryptedHosts)
  return hasErrors(file.issues) && file.source.quoting !== 'nothing' && iniSection.test(file.source.text)
    ? issueAbout(path, 'error', 'INPUT.NOT_READ', iniWords(path))
    : file
}

const encryptedHosts =
  'This file is encrypted as a whole with Ansible Vault, so its hosts are unknown. Encrypt only secrets, as `!vault` values, not hosts and groups.'

/** `[web]`, `[web:children]`, `[web:vars]` on its own line. */
const iniSection = /^\[[\w.-]+(?::(?:children|vars|hosts))?\][ \t]*(?:[#;].*)?$/mu

function iniWords(path: string): string {
  return `This inventory is in Ansible's INI format, but converge reads YAML. Convert it:  ansible-inventory -i ${shellQuote([path])} --list --yaml > hosts.yaml`
}

/** The path itself when it is a folder, else the folder it lies in. Throws where there is nothing. */
export async function folderOf(
  path: string,
  code: 'INVENTORY.NOT_FOUND' | 'PLAYBOOK.NOT_FOUND' = 'INVENTORY.NOT_FOUND',
): Promise<string> {
  const what = code === 'INVENTORY.NOT_FOUND' ? 'inventory' : 'playbook'
  try {
    return (await stat(path)).isDirectory() ? path : dirname(path)
  } catch (error) {
    throw new ConvergeError(code, {
      summary: `There is no such ${what}.`,
      why: `\`${path}\` cannot be used: ${reasonOf(error)}.`,
      next: what === 'inventory' ? await inventoriesAround() : await playbooksAround(),
    })
  }
}

async function inventoriesAround(): Promise<readonly NextStep[]> {
  return [...((await isFolder('inventories')) ? [shell('ls inventories/')] : []), converge(['validate', '-i', 'PATH'])]
}

async function playbooksAround(): Promise<readonly NextStep[]> {
  return [(await isFolder('playbooks')) ? shell('ls playbooks/') : 'Omit the playbook: all selected hosts then form one play.']
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
