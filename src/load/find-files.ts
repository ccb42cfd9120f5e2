import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { issueAbout, issueOutside } from '../inventory/source-text.ts'
import type { InventoryIssue } from '../model/issue.ts'
import { reasonOf } from './read-source.ts'
import { leadsOut, type RealFolder } from './real-folder.ts'

/** Where the files of an inventory lie, in the order in which they count. */
export interface FoundFiles {
  readonly hosts: readonly string[]
  readonly vars: readonly FoundVars[]
  readonly issues: readonly InventoryIssue[]
}

export interface FoundVars {
  readonly path: string
  readonly level: 'group' | 'host'
  readonly owner: string
}

/** As Ansible does: every YAML file of the folder in alphabetical order, and `group_vars/` and `host_vars/` in it. */
export async function findInDirectory(directory: string, within: RealFolder): Promise<FoundFiles> {
  const entries = await list(directory, within)
  if (!Array.isArray(entries)) return { hosts: [], vars: [], issues: [entries] }
  const hosts = entries.filter((entry) => isYaml(entry.name)).map((entry) => join(directory, entry.name))
  const { vars, issues } = await findVars(directory, within)
  return { hosts, vars, issues: [...checkEntries(directory, entries, hosts), ...issues] }
}

/** A single file may have the two folders beside it, as in Ansible. */
export async function findBesideFile(file: string, directory: string, within: RealFolder): Promise<FoundFiles> {
  return { hosts: [file], ...(await findVars(directory, within)) }
}

function checkEntries(directory: string, entries: readonly Dirent[], hosts: readonly string[]): readonly InventoryIssue[] {
  const others = entries.filter((entry) => !isYaml(entry.name) && !varsFolders.has(entry.name))
  if (hosts.length === 0) {
    const seen = others.map((entry) => `\`${entry.name}\``).join(', ')
    const words = `The folder holds no YAML file with hosts${seen === '' ? '' : `, only ${seen}`}. Hosts stand in hosts.yaml; \`ansible-inventory -i OLD --list --yaml\` makes one of an inventory in another form.`
    return [issueAbout(directory, 'error', 'INPUT.MISSING', words)]
  }
  const unread = others.map((entry) => {
    const words = 'Ansible would read this as a part of the inventory; converge reads `*.yaml` and `*.yml` only.'
    return issueAbout(join(directory, entry.name), 'warning', 'INPUT.NOT_READ', words)
  })
  const names = new Set(hosts)
  const twice = hosts.filter((path) => path.endsWith('.yml') && names.has(path.replace(/\.yml$/u, '.yaml')))
  const doubled = twice.map((path) =>
    issueAbout(path, 'warning', 'INPUT.AMBIGUOUS', 'It lies beside a `.yaml` of the same name; both are read.'),
  )
  return [...unread, ...doubled]
}

const varsFolders: ReadonlyMap<string, FoundVars['level']> = new Map([
  ['group_vars', 'group'],
  ['host_vars', 'host'],
])

async function findVars(directory: string, within: RealFolder): Promise<Pick<FoundFiles, 'vars' | 'issues'>> {
  const vars: FoundVars[] = []
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
      const owner = isFolder ? entry.name : entry.name.replace(varsEnding, '')
      budget.left -= 1
      const search = { within, issues, budget, read: new Set<string>() }
      const files = isFolder ? await findBelow(search, join(path, entry.name), above) : [join(path, entry.name)]
      if (budget.left < 0) return { vars: [], issues: [...issues, tooMany(path)] }
      for (const file of files) vars.push({ path: file, level, owner })
    }
  }
  return { vars, issues }
}

function tooMany(path: string): InventoryIssue {
  const words = `More than ${mostVars} files and folders of variables, counted for each group and host that they are about. Put what many hosts share into a group, and look for links to something else.`
  return issueAbout(path, 'error', 'INPUT.UNREADABLE', words)
}

/** As Ansible does: in a folder of variables it reads what ends as YAML and JSON do, and what has no ending. JSON is YAML. */
function isVarsFile(name: string): boolean {
  return varsEnding.test(name) || !name.includes('.')
}

/** Ten thousand hosts with a folder and three files each fit. */
const mostVars = 50_000

/** What may still be found of all groups and hosts together; below 0 the search is over. */
interface Budget {
  left: number
}

/** Of one group or host. */
interface Search {
  readonly within: RealFolder
  readonly issues: InventoryIssue[]
  readonly budget: Budget
  /** Real folders: one to which several links lead is read once. */
  readonly read: Set<string>
}

/** Who has more has a link to something else there. */
const mostFolders = 1000

/** @param above real folders in which this one lies, as the links lead to it */
async function findBelow(search: Search, folder: string, above: readonly string[]): Promise<readonly string[]> {
  const entries = await list(folder, search.within)
  if (!Array.isArray(entries)) {
    search.issues.push(entries)
    return []
  }
  const real = await realpath(folder)
  if (above.includes(real)) {
    const words = 'This link leads back to a folder in which it lies itself. Remove it.'
    search.issues.push(issueAbout(folder, 'error', 'INPUT.UNREADABLE', words))
    return []
  }
  if (search.read.has(real) || search.read.size > mostFolders || search.budget.left < 0) return []
  if (search.read.size === mostFolders) {
    const words = `More than ${mostFolders} folders of variables for one group or host: a link leads to something else.`
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
  // Who has so many is told that, and not what is wrong with each.
  return search.read.size > mostFolders ? [] : files
}

/** Of `x/`, `x`, `x.yml`, `x.yaml` and `x.json` Ansible reads one and says nothing about the others. */
function checkOwners(folder: string, entries: readonly Dirent[]): readonly InventoryIssue[] {
  const first = new Map<string, string>()
  return entries.flatMap((entry) => {
    const owner = entry.name.replace(varsEnding, '')
    const other = first.get(owner)
    first.set(owner, other ?? entry.name)
    if (other === undefined) return []
    const words = `It lies beside \`${other}\`; of the two Ansible reads one and passes over the other. Put everything into one of them.`
    return [issueAbout(join(folder, entry.name), 'error', 'INPUT.CONFLICT', words)]
  })
}

const yamlEnding = /\.ya?ml$/u
const varsEnding = /\.(?:ya?ml|json)$/u

function isYaml(name: string): boolean {
  return yamlEnding.test(name)
}

/** What Ansible passes over as well: hidden files, backups, notes, and other tools' settings. */
const passedOver = /^\.|(?:~|\.(?:pyc|pyo|swp|bak|rpm|md|txt|rst|orig|ini|cfg|retry))$/u

async function list(folder: string, within: RealFolder): Promise<Dirent[] | InventoryIssue> {
  if (within.isClosed && (await leadsOut(within, folder))) return issueOutside(folder)
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries
      .filter((entry) => !passedOver.test(entry.name))
      .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  } catch (error) {
    return issueAbout(folder, 'error', 'INPUT.UNREADABLE', `The folder cannot be read: ${reasonOf(error)}.`)
  }
}

async function leadsToFolder(folder: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory()
  try {
    return (await stat(join(folder, entry.name))).isDirectory()
  } catch {
    // A link that leads nowhere is told when it is read as a file.
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
