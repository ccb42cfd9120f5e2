import { describe, expect, test } from 'vitest'
import { generate } from '../schemas/generate.ts'
import { catalogue } from '../src/errors/catalogue.ts'
import { managers } from '../src/managers/index.ts'
import { rules } from '../src/policy/index.ts'
import { serverKinds } from '../src/servers/index.ts'
import { definedCodes, duplicates, undocumented, unprovenRules, unraised, unregisteredRules } from './architecture/codes.ts'
import { commandsAsText } from './architecture/commands-as-text.ts'
import { badNames, defaultExports, enums, falseRegistries, overlong, revealers } from './architecture/conventions.ts'
import { heavyAtOnce, unprefixedBuiltins, wrongHomes } from './architecture/dependencies.ts'
import { homes } from './architecture/homes.ts'
import { importsOf } from './architecture/imports.ts'
import { importRings, wrongDirections, wrongNeighbours } from './architecture/layers.ts'
import { namesCompared } from './architecture/names-compared.ts'
import { unbalancedPatterns } from './architecture/old-shells.ts'
import { impurities } from './architecture/purity.ts'
import { actorsOutside, type Doors, senders, wrongDoors, wrongReach } from './architecture/reach.ts'
import { fatalRedirections } from './architecture/redirections.ts'
import { listFiles, readProjectFile, readSources } from './architecture/source-file.ts'

// The checks themselves are in architecture/, each with samples that it has to find fault with in architecture/*.test.ts.

/** What must not be in memory yet when a file is loaded, so that verbs which need no host start quickly. */
const heavy: Readonly<Record<string, readonly string[]>> = {
  'src/main.ts': [
    '@babel/code-frame',
    '@huggingface/gguf',
    'ajv',
    'cli-table3',
    'diff',
    'execa',
    'listr2',
    'ssh2',
    'undici',
    'yaml',
  ],
  'src/cli/completion/complete.ts': ['@commander-js/extra-typings', 'ajv', 'commander', 'env-paths', 'yaml'],
  'src/cli/verbs/validate.ts': ['@huggingface/gguf', 'execa', 'listr2', 'ssh2', 'undici'],
  'src/cli/verbs/hosts.ts': ['@huggingface/gguf', 'execa', 'listr2', 'ssh2', 'undici'],
  'src/cli/verbs/plan.ts': ['@babel/code-frame', 'execa', 'listr2', 'ssh2', 'undici'],
}

const mayReveal = [
  'src/model/secret.ts',
  'src/lib/redactor.ts',
  'src/context/context.ts',
  'src/delivery/webhook-url.ts',
  'src/hub/hub-access.ts',
  'src/simulate/digest.ts',
  'src/state/store-key.ts',
  'src/state/write-secret-text.ts',
  'src/transports/remote/remote-command.ts',
  'src/transports/remote/run-framed.ts',
  'src/verify/http-probe.ts',
]

/** The verbs that change hosts, or start those that do. No other has a way to what writes. */
const actingVerbs = [
  'apply',
  'demo',
  'fetch',
  'index',
  'prune',
  'release',
  'restart',
  'resume',
  'start',
  'stop',
  'unlock',
  'upgrade',
  'use',
].map((name) => `src/cli/verbs/${name}.ts`)

/** How one comes by what can send any script, and who vouches that a script only looks. */
const doors: Doors = {
  'src/run/acting-run.ts': [
    'cli/verbs/apply',
    'cli/verbs/fetch',
    'cli/verbs/prune',
    'cli/verbs/release',
    'cli/verbs/unlock',
    'cli/operation-verb',
    'cli/verbs/upgrade',
    'run/begin-fetch',
    'run/apply-run',
    'run/copy-model',
    'run/host-task',
    'run/prune-host',
    'run/resume-run',
    'run/roll-out-plays',
  ].map((name) => `src/${name}.ts`),
  'src/transports/open-transport.ts': ['src/run/acting-run.ts', 'src/transports/open-view.ts'],
  'src/transports/read-only-script.ts': [
    'src/gather/ask-registries.ts',
    'src/gather/gather.ts',
    'src/gather/survey-host.ts',
    'src/gather/take-pulse.ts',
    'src/fetch/look-at-fetch.ts',
    'src/fetch/look-at-records.ts',
    'src/fetch/send-piece.ts',
    'src/logs/read-logs.ts',
    'src/verify/life-sign.ts',
    'src/verify/key-of-process.ts',
    'src/verify/keys-on-host.ts',
    'src/transports/transport.ts',
  ],
  'src/transports/run-script.ts': ['local', 'openssh/openssh-transport', 'ssh2/ssh2-transport'].map(
    (name) => `src/transports/${name}.ts`,
  ),
  'src/transports/local.ts': ['src/transports/open-transport.ts'],
  'src/transports/openssh/openssh-transport.ts': ['src/transports/open-transport.ts'],
  'src/transports/ssh2/ssh2-transport.ts': ['src/transports/open-transport.ts'],
}

function writes(path: string): boolean {
  return (
    path.startsWith('src/apply/') ||
    /^src\/(?:run\/(?:acting-run|copy-model)|fetch\/(?:st(?:art|op)-fetch|prune-files|receive-piece|copy-file))\.ts$/.test(path)
  )
}

const mayExportDefault = ['vitest.config.ts', 'global-setup.ts', 'engine-setup.ts', 'esbuild.config.ts']

/** The tour has a fleet to show; nothing else of the product knows of the simulation. */
const neighbours = {
  'src/cli/verbs/demo.ts': 'simulation/demo/demo.ts',
  ...Object.fromEntries(['init', 'schema'].map((name) => [`src/cli/verbs/${name}.ts`, 'schemas/published.ts'])),
}

const all = readSources('src/**/*.{ts,js}')
const written = all.filter((file) => !file.path.startsWith('src/generated/'))
const everything = readSources('{src,simulation,test,schemas,bench}/**/*.ts', '*.ts').filter(
  (file) => !file.path.startsWith('src/generated/'),
)
const ruleCodes = rules.map((rule) => rule.code)

function outside(...places: readonly string[]): typeof written {
  return written.filter(({ path }) => places.every((place) => !path.startsWith(place)))
}

const startingProcesses = written
  .flatMap(importsOf)
  .filter(({ specifier }) => ['execa', 'node:child_process'].includes(specifier))
  .map(({ from }) => from.path)

function isBeyondCompletion(path: string): boolean {
  return /^src\/(?:transports\/|load\/(?:resolve-secret|vault-password)\.ts$)/.test(path) || startingProcesses.includes(path)
}

describe('rooms', () => {
  test('have one order, and imports point downwards', () => expect(wrongDirections(all)).toEqual([]))
  test('what lies beside src/ is left alone', () => expect(wrongNeighbours(all, neighbours)).toEqual([]))
  test('no files import each other in a ring', () => expect(importRings(all)).toEqual([]))
  test('all but the shell only computes', () => expect(impurities(written)).toEqual([]))
})

describe('read-only code', () => {
  const looking = written
    .map(({ path }) => path)
    .filter((path) => path === 'src/run/plan-only.ts' || (path.startsWith('src/cli/verbs/') && !actingVerbs.includes(path)))

  test.each(looking)('%s has no way to what writes', (entry) => expect(wrongReach([entry], written, writes)).toEqual([]))
  test('a plan from files has no way to a host', () => {
    expect(wrongReach(['src/run/facts-snapshot-run.ts'], written, (path) => path.startsWith('src/transports/'))).toEqual([])
  })
  test('a plan from files has no way to what starts a process', () => {
    expect(startingProcesses.length).toBeGreaterThan(3)
    expect(wrongReach(['src/run/facts-snapshot-run.ts'], written, (path) => startingProcesses.includes(path))).toEqual([])
  })
  test('completion has no way to a host, to what starts a process, or to a secret', () => {
    expect(wrongReach(['src/cli/completion/complete.ts'], written, isBeyondCompletion)).toEqual([])
  })
  test('what sends scripts is come by through a few doors', () => expect(wrongDoors(written, doors)).toEqual([]))
  // Steps are fenced, which test/apply/fencing.test.ts counts, and so is pruning; the others are the lock itself, and jobs, which have locks of their own.
  test('what may act is sent from a few places', () => {
    const fetches = ['prune-files', 'receive-piece', 'start-fetch', 'stop-fetch'].map((name) => `src/fetch/${name}.ts`)
    const places = ['src/apply/lock.ts', 'src/apply/run-step.ts', 'src/apply/unlock.ts', ...fetches]
    expect(senders(written).filter((path) => !path.startsWith('src/transports/'))).toEqual(places)
  })
  test('what acts on hosts is named where it is used', () => {
    expect(actorsOutside(written, (path) => path.startsWith('src/transports/') || writes(path))).toEqual([])
  })
})

describe('packages', () => {
  const { devDependencies } = JSON.parse(readProjectFile('package.json'))
  const declared = Object.keys(devDependencies)
  test('each is imported in its place alone', () => expect(wrongHomes(written, homes, declared)).toEqual([]))
  test.each(Object.entries(heavy))('heavy ones are not loaded with %s', (entry, names) => {
    expect(heavyAtOnce(entry, written, names)).toEqual([])
  })
  test('Node’s own modules are named with node:', () => expect(unprefixedBuiltins(everything)).toEqual([]))
})

describe('what a kind or a manager is like', () => {
  test('is asked of the kind, not known by its name', () => {
    // A letter of a regular expression.
    const files = outside('src/servers/', 'src/inventory/host-regex.ts')
    expect(namesCompared(files, Object.keys(serverKinds), 'serverKinds')).toEqual([])
  })
  test('is asked of the manager, not known by its name', () => {
    // What runs at intervals has schedulers, some of the same names.
    const files = outside('src/managers/', 'src/schedulers/', 'src/cli/schedule/', 'src/run/schedule/')
    expect(namesCompared(files, Object.keys(managers), 'managers')).toEqual([])
  })
})

test('secrets are opened in a handful of places', () => expect(revealers(written, mayReveal)).toEqual([]))

describe('codes', () => {
  const catalogueFiles = written.filter((file) => file.path.startsWith('src/errors/codes/') && !file.path.endsWith('/entry.ts'))
  const defined = catalogueFiles.flatMap(definedCodes)
  const errors = Object.entries(catalogue).map(([code, { title, explain }]) => ({ code, title, explain }))

  test('none is used twice, by errors or rules', () => expect(duplicates([...defined, ...ruleCodes])).toEqual([]))
  test('the catalogue holds what its files define', () => expect(Object.keys(catalogue).toSorted()).toEqual(defined.toSorted()))
  test('each can be explained', () => expect(undocumented([...errors, ...rules])).toEqual([]))
  test('each error is raised somewhere', () => expect(unraised(Object.keys(catalogue), written)).toEqual([]))
  test('each rule is in the registry', () => expect(unregisteredRules(ruleCodes, written)).toEqual([]))
  test('each rule has a fixture where it refuses and one where it allows', () => {
    expect(unprovenRules(ruleCodes, listFiles('test/fixtures/policy/**/*'))).toEqual([])
  })
})

describe('conventions', () => {
  test('an index.ts is a registry', () => expect(falseRegistries(written)).toEqual([]))
  test('names say what is inside', () => expect(badNames(everything.map((file) => file.path))).toEqual([]))
  test('nothing is exported by default', () => expect(defaultExports(everything, mayExportDefault)).toEqual([]))
  test('there are no enums', () => expect(enums(everything)).toEqual([]))
  test('no script goes on after what ends a shell', () => expect(fatalRedirections(written)).toEqual([]))
  test('the shell of a Mac reads every script', () => expect(unbalancedPatterns(written)).toEqual([]))
  test('a command to type next is words, not text', () => expect(commandsAsText(written)).toEqual([]))
  test('no file has more than 300 lines', () => expect(overlong(everything, 300)).toEqual([]))
})

test('src/generated is what the schemas generate now', async () => {
  const generated = [...(await generate())].map(([name, text]) => [`src/generated/${name}`, text] as const)
  expect(listFiles('src/generated/*')).toEqual(generated.map(([path]) => path).toSorted())
  for (const [path, text] of generated) expect(readProjectFile(path) === text, `${path}: run \`npm run generate\``).toBe(true)
})
