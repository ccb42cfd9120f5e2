import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import type { Fleet } from '../model/fleet.ts'
import type { InventoryIssue } from '../model/issue.ts'
import type { Play } from '../model/playbook.ts'
import { type FoundFiles, findBesideFile, findInDirectory } from './find-files.ts'
import { hasErrors, sortIssues } from './issues.ts'
import { type ParsedFile, parseYaml } from './parse.ts'
import { readFleet } from './read-fleet.ts'
import { readPlaybook } from './read-playbook.ts'
import { readSource, reasonOf } from './read-source.ts'
import { renderIssues } from './render-issues.ts'

/**
 * The inventory at a path, a folder or a single file. Throws one `INVENTORY.INVALID` with everything that is wrong in it, and
 * `INVENTORY.NOT_FOUND` where there is nothing.
 */
export async function loadInventory(path: string): Promise<{ fleet: Fleet; warnings: readonly InventoryIssue[] }> {
  const folder = await folderOf(path)
  const found = folder === path ? await findInDirectory(path) : await findBesideFile(path, folder)
  const reading = await readFound(path, folder, found)
  if (reading.fleet === undefined) throw await invalid('INVENTORY.INVALID', path, reading.issues)
  return { fleet: reading.fleet, warnings: reading.issues }
}

/** The plays of a playbook, in order. Throws one `PLAYBOOK.INVALID` or `PLAYBOOK.NOT_FOUND`. */
export async function loadPlaybook(path: string): Promise<{ plays: readonly Play[]; warnings: readonly InventoryIssue[] }> {
  await folderOf(path, 'PLAYBOOK.NOT_FOUND')
  const file = await readParsed(path)
  const { plays, issues } = 'root' in file ? readPlaybook(file) : { plays: undefined, issues: [file] }
  if (plays === undefined) throw await invalid('PLAYBOOK.INVALID', path, issues)
  return { plays, warnings: issues }
}

async function readFound(path: string, folder: string, found: FoundFiles) {
  const hosts = await readAll(found.hosts)
  const vars = await readAll(found.vars.map((file) => file.path))
  const failures = [...found.issues, ...hosts.failures, ...vars.failures]
  // Without all files the rest cannot be judged: what is missing could be what another file refers to.
  if (hasErrors(failures)) return { fleet: undefined, issues: sortIssues(failures) }
  const varsFiles = found.vars.flatMap(({ path: at, level, owner }) => {
    const file = vars.files.get(at)
    return file === undefined ? [] : [{ ...file, level, owner }]
  })
  const reading = readFleet({ path, folder, hosts: [...hosts.files.values()], vars: varsFiles })
  return { ...reading, issues: sortIssues([...failures, ...reading.issues]) }
}

/** Files read side by side; more would run into the limit on open files. */
const sideBySide = 64

async function readAll(
  paths: readonly string[],
): Promise<{ files: ReadonlyMap<string, ParsedFile>; failures: readonly InventoryIssue[] }> {
  const files = new Map<string, ParsedFile>()
  const failures: InventoryIssue[] = []
  for (let done = 0; done < paths.length; done += sideBySide) {
    const batch = paths.slice(done, done + sideBySide)
    for (const file of await Promise.all(batch.map(readParsed))) {
      if ('root' in file) files.set(file.source.file, file)
      else failures.push(file)
    }
  }
  return { files, failures }
}

async function readParsed(path: string): Promise<ParsedFile | InventoryIssue> {
  const source = await readSource(path)
  return 'text' in source ? parseYaml(source) : source
}

/** The path itself when it is a folder, else the folder it lies in. Throws where there is nothing. */
async function folderOf(
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
      next: what === 'inventory' ? ['ls inventories/', 'converge validate -i PATH'] : ['ls playbooks/'],
    })
  }
}

async function invalid(
  code: 'INVENTORY.INVALID' | 'PLAYBOOK.INVALID',
  path: string,
  found: readonly InventoryIssue[],
): Promise<ConvergeError> {
  const issues = found.filter((issue) => issue.severity === 'error')
  const what = code === 'INVENTORY.INVALID' ? 'inventory' : 'playbook'
  const quoted = shellQuote([path])
  return new ConvergeError(code, {
    summary: `The ${what} is not valid.`,
    why: `${issues.length === 1 ? 'One mistake' : `${issues.length} mistakes`}; no host was contacted.\n\n${await renderIssues(issues)}\n`,
    next: [
      `Correct ${issues.length === 1 ? 'it' : 'them'}, then: converge validate ${what === 'inventory' ? `-i ${quoted}` : quoted}`,
    ],
    issues,
  })
}
