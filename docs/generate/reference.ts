import { readFile, writeFile } from 'node:fs/promises'
import { type Part, registered } from '../../schemas/registered.ts'
import { codesPage } from './codes-page.ts'
import { commandsPage } from './commands-page.ts'
import { environmentPage } from './environment-page.ts'
import { inventoryPage } from './inventory-page.ts'
import { type Page, renderPage } from './markdown.ts'
import { topicPages } from './topic-pages.ts'

/** The pages of `docs/reference/` by the names of their files. `npm run generate` writes them; a test compares. */
export async function generateReference(): Promise<ReadonlyMap<string, string>> {
  const pages: Readonly<Record<string, Page>> = {
    'commands.md': await commandsPage(),
    ...(await topicPages()),
    'codes.md': codesPage(),
    'inventory.md': await inventoryReference(),
    'environment.md': environmentPage(),
  }
  const all = Object.entries({ 'README.md': indexOf(pages), ...pages })
  return new Map(all.map(([name, page]) => [name, renderPage(page)]))
}

/** The page about inventories. */
export async function inventoryReference(): Promise<Page> {
  const [inventory, playbook] = await Promise.all([readSchema('inventory.schema.json'), readSchema('playbook.schema.json')])
  return inventoryPage(inventory, playbook)
}

function indexOf(pages: Readonly<Record<string, Page>>): Page {
  return {
    title: 'Reference',
    about: 'Everything that converge understands and says, page by page.',
    blocks: [
      Object.entries(pages)
        .map(([name, { title, about }]) => `- [${title}](${name}): ${about}`)
        .join('\n'),
    ],
  }
}

async function readSchema(name: string): Promise<Part> {
  const schema: Part = JSON.parse(await readFile(new URL(`../../schemas/${name}`, import.meta.url), 'utf8'))
  registered[name]?.(schema)
  return schema
}

if (import.meta.main) {
  for (const [name, content] of await generateReference())
    await writeFile(new URL(`../reference/${name}`, import.meta.url), content)
}
