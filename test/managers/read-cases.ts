import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

/** Every YAML file of a folder in test/fixtures with its name. The caller says what is in them. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says what the files hold
export function readCases<T>(folder: string): readonly (readonly [name: string, content: T])[] {
  const root = fixturePath(folder)
  const files = readdirSync(root)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
  if (files.length === 0) throw new Error(`no case in ${folder}`)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a case that is not as its test expects makes the test fail
  return files.map((name) => [name.replace(/\.yaml$/, ''), parse(readFileSync(`${root}/${name}`, 'utf8')) as T] as const)
}

export function fixturePath(path: string): string {
  return fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url))
}
