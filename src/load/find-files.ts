import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { issueAbout, issueOutside } from '../inventory/source-text.ts'
import type { InventoryIssue } from '../model/issue.ts'
import { reasonOf } from './read-source.ts'
import { leadsOut, type RealFolder } from './real-folder.ts'

/** The files of an inventory, in order of precedence. */
export interface FoundFiles {
  readonly hosts: readonly string[]
  readonly vars: readonly FoundVars[]
  /** Folders of one host in `host_vars/`, also empty ones, by host. */
  readonly hostFolders: ReadonlyMap<string, string>
  readonly issues: readonly InventoryIssue[]
}

export interface FoundVars {
  readonly path: string
  readonly level: 'group' | 'host'
  readonly owner: string
}

/** As in Ansible: every YAML file of the folder in alphabetical order, and its `group_vars/` and `host_vars/`. */
export async function findInDirectory(directory: string, within: RealFolder): Promise<FoundFiles> {
  const entries = await list(directory, within)
  if (!Array.isArray(entries)) return { hosts: [], vars: [], hostFolders: new Map(), issues: [entries] }
  const hosts = entries.filter((entry) => isYaml(entry.name)).map((entry) => join(directory, entry.name))
  const { issues, ...found } = await findVars(directory, within)
  return { hosts, ...found, issues: [...checkEntries(directory, entries, hosts), ...issues] }
}

/** A single file may have both folders beside it, as in Ansible. */
export async function findBesideFile(file: string, directory: string, within: RealFolder): Promise<FoundFiles> {
  return { hosts: [file], ...(await findVars(directory, within)) }
}

function checkEntries(directory: string, entries: readonly Dirent[], hosts: readonly string[]): readonly InventoryIssue[] {
  const others = entries.filter((entry) => !isYaml(entry.name) && !varsFolders.has(entry.name))
  if (hosts.length === 0) {
    const seen = others.map((entry) => `\`${entry.name}\``).join(', ')
    const words = `The folder contains no YAML file with hosts${seen === '' ? '' : `, only ${seen}`}. Hosts belong in hosts.yaml; \`ansible-inventory -i OLD --list --yaml\` converts an inventory in another format.`
    return [issueAbout(directory, 'error', 'INPUT.MISSING', words)]
  }
  const unread = others.map((entry) => {
    const words = 'Ansible would read this as part of the inventory; converge only reads `*.yaml` and `*.yml`.'
    return issueAbout(join(directory, entry.name), 'warning', 'INPUT.NOT_READ', words)
  })
  const names = new Set(hosts)
  const twice = hosts.filter((path) => path.endsWith('.yml') && names.has(path.replace(/\.yml$/u, '.yaml')))
  const doubled = twice.map((path) =>
    issueAbout(path, 'warning', 'INPUT.AMBIGUOUS', 'There is also a `.yaml` file of the same name; both are read.'),
  )
  return [...unread, ...doubled]
}

const varsFolders: ReadonlyMap<string, FoundVars['level']> = new Map([
  ['group_vars', 'group'],
  ['host_vars', 'host'],
])

async function findVars(directory: string, within: RealFolder): Promise<Omit<FoundFiles, 'hosts'>> {
  const vars: FoundVars[] = []
  const hostFolders = new Map<string, string>()
  const issues: InventoryIssue[] = []
  const budget: Budget = { left: mostVars }
  for (const [folder, level] of varsFolders) {
    const path = join(directory, folder)
    if (!(await exists(path))) continue
    const entries = await list(path, within)
    if (!Array.isArray(entries)) {
      issues.push(entries)
      continue
    }
    issues.push(...checkOwners(path, entries))
    const above = [within.path, await realpath(path)]
    for (const entry of entries) {
      const isFolder = await leadsToFolder(path, entry)
      const owner = isFolder ? entry.name : ownerOf(entry.name)
      budget.left -= 1
      const search = { within, issues, budget, read: new Set<string>() }
      const files = isFolder ? await findBelow(search, join(path, entry.name), above) : [join(path, entry.name)]
      if (budget.left < 0) return { vars: [], hostFolders, issues: [...issues, tooMany(path)] }
      if (isFolder && level === 'host') hostFolders.set(owner, join(path, entry.name))
      for (const file of files) vars.push({ path: file, level, owner })
    }
  }
  return { vars, hostFolders, issues }
}

function tooMany(path: string): InventoryIssue {
  const words = `More than ${mostVars} files and folders of variables, counted for each of their groups and hosts. Put shared variables into a group, and check for stray links.`
  return issueAbout(path, 'error', 'INPUT.UNREADABLE', words)
}

/** As in Ansible: a variables folder contributes files ending like YAML and JSON, and those without an ending. JSON is YAML. */
function isVarsFile(name: string): boolean {
  return varsEnding.test(name) || !name.includes('.')
}

/** Enough for ten thousand hosts with a folder and three files each. */
const mostVars = 50_000

/** Remaining number for all groups and hosts together; below 0 the search stops. */
interface Budget {
  left: number
}

/** For one group or host. */
interface Search {
  readonly within: RealFolder
  readonly issues: InventoryIssue[]
  readonly budget: Budget
  /** Real folders: each is read once, however many links lead to it. */
  readonly read: Set<string>
}

/** More means that a link leads somewhere unrelated. */
const mostFolders = 1000

/** @param above real paths of the parent folders, links resolved */
async function findBelow(search: Search, folder: string, above: readonly string[]): Promise<readonly string[]> {
  const entries = await list(folder, search.within)
  if (!Array.isArray(entries)) {
    search.issues.push(entries)
    return []
  }
  const real = await realpath(folder)
  if (above.includes(real)) {
    const words = 'This link leads back to one of its parent folders. Remove it.'
    search.issues.push(issueAbout(folder, 'error', 'INPUT.UNREADABLE', words))
    return []
  }
  if (search.read.has(real) || search.read.size > mostFolders || search.budget.left < 0) return []
  if (search.read.size === mostFolders) {
    const words = `More than ${mostFolders} folders of variables for one group or host: a link leads to an unrelated folder.`
    search.issues.push(issueAbout(folder, 'error', 'INPUT.UNREADABLE', words))
  }
  search.read.add(real)
  search.budget.left -= entries.length
  const files: string[] = []
  for (const entry of entries) {
    const isFolder = await leadsToFolder(folder, entry)
    const path = join(folder, entry.name)
    if (isFolder) for (const file of await findBelow(search, path, [...above, real])) files.push(file)
    else if (isVarsFile(entry.name)) files.push(path)
  }
  // Reports only the number, not the mistakes in each.
  return search.read.size > mostFolders ? [] : files
}

/** Of `x/`, `x`, `x.yml`, `x.yaml` and `x.json` Ansible silently reads only one. */
function checkOwners(folder: string, entries: readonly Dirent[]): readonly InventoryIssue[] {
  const first = new Map<string, string>()
  return entries.flatMap((entry) => {
    const owner = ownerOf(entry.name)
    const other = first.get(owner)
    first.set(owner, other ?? entry.name)
    if (other === undefined) return []
    const words = `There is also \`${other}\`; Ansible reads only one of the two. Put everything into one of them.`
    return [issueAbout(join(folder, entry.name), 'error', 'INPUT.CONFLICT', words)]
  })
}

const yamlEnding = /\.ya?ml$/u
const varsEnding = /\.(?:ya?ml|json)$/u

/** The group or host of a file in `group_vars/` or `host_vars/`. */
export function ownerOf(name: string): string {
  return name.replace(varsEnding, '')
}

function isYaml(name: string): boolean {
  return yamlEnding.test(name)
}

/** What Ansible skips as well: hidden files, backups, notes, and settings of other tools. */
const passedOver = /^\.|(?:~|\.(?:pyc|pyo|swp|bak|rpm|md|txt|rst|orig|ini|cfg|retry))$/u

async function list(folder: string, within: RealFolder): Promise<Dirent[] | InventoryIssue> {
  if (within.isClosed && (await leadsOut(within, folder))) return issueOutside(folder)
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries
      .filter((entry) => !passedOver.test(entry.name))
      .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  } catch (error) {
    return issueAbout(folder, 'error', 'INPUT.UNREADABLE', `The folder is not readable: ${reasonOf(error)}.`)
  }
}

async function leadsToFolder(folder: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory()
  try {
    return (await stat(join(folder, entry.name))).isDirectory()
  } catch {
    // A dangling link is reported when it is read as a file.
    return false
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT')
  }
}
