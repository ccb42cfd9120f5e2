import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const index = 'docs/README.md'
const pages = globSync(['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'src/README.md', 'docs/**/*.md'], { cwd: root })

test('the README has at most 130 lines', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(130)
})

test('the index of docs/ links every page there, or the folder of the page', () => {
  const linked = new Set(linksOf(index).map(({ path }) => path))
  const isLinked = (page: string) => linked.has(page) || (dirname(page) !== 'docs' && linksFolder(linked, dirname(page)))
  expect(pages.filter((page) => page.startsWith('docs/') && page !== index && !isLinked(page))).toEqual([])
})

test.for(pages)('the links of %s lead to files and headings that exist', (page) => {
  const broken = linksOf(page).filter(({ path, heading }) => !existsSync(join(root, path)) || !hasHeading(path, heading))
  expect(broken.map(({ target }) => target)).toEqual([])
})

test('the links of these pages are found', () => {
  expect(pages.length).toBeGreaterThan(20)
  expect(pages.flatMap(linksOf).length).toBeGreaterThan(80)
})

interface Link {
  /** As the page has it. */
  readonly target: string
  /** Of a file or folder, below the root. */
  readonly path: string
  readonly heading: string | undefined
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** A page without its code: neither brackets nor `#` mean anything there. */
function proseOf(path: string): string {
  return read(path).replaceAll(/^(`{3,})[^`\n]*\n[\s\S]*?^\1$/gm, '')
}

/** Links and pictures, but for those to other sites. */
function linksOf(page: string): Link[] {
  const prose = proseOf(page).replaceAll(/`[^`\n]*`/g, 'code')
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', heading] = target.split('#')
      const path = file === '' ? page : normalize(join(dirname(page), decodeURI(file))).replace(/\/$/, '')
      return { target, path, heading }
    })
}

function linksFolder(linked: ReadonlySet<string>, folder: string): boolean {
  return [folder, `${folder}/README.md`, `${folder}/index.md`].some((path) => linked.has(path))
}

function hasHeading(path: string, heading: string | undefined): boolean {
  if (heading === undefined || !path.endsWith('.md')) return true
  const headings = [...proseOf(path).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => slugOf(text))
  return headings.includes(heading)
}

/** The fragment that GitHub makes of a heading. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}
