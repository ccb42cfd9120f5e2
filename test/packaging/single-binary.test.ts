import { createReadStream } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { version } from '../../src/context/version.ts'
import type { Plan } from '../../src/model/plan.ts'
import { type CommandResult, docker, tryDocker } from '../lab/docker.ts'
import { changesOn, kindB, machine, openSite, type Site, serviceKey } from '../lab/e2e/site.ts'
import { type Lab, startLab } from '../lab/hosts.ts'
import { imageOf, prepareImages } from '../lab/images.ts'
import { noLab } from '../lab/lab-hosts.ts'
import { listening } from '../support/listening.ts'
import { program } from '../support/program.ts'
import { isLong, oneIn } from '../support/series.ts'

const root = join(import.meta.dirname, '../..')
const builder = { DEB_COMPRESSION: 'none', DEBEMAIL: 'packages@example.net', NODE_NO_WARNINGS: '1' }

const build = async (...words: readonly string[]) => {
  const { stdout } = await execa(process.execPath, ['packaging/deb/build.ts', ...words], { cwd: root, env: builder })
  return stdout.trim().split('\n').at(-1) ?? ''
}
const digest = async (file: string) => (await execa('sha256sum', [file])).stdout.split(' ')[0]

describe('the deb', () => {
  let folder = ''
  let standIn = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'converge-deb-'))
    standIn = join(folder, 'converge')
    await writeFile(standIn, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 })
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  // lintian reads half a minute in a single binary, to find what the overrides allow.
  it('passes lintian with a stand-in for the binary, and is the same when it is built again', async () => {
    const deb = await build(standIn)
    const before = await digest(deb)
    // Compression is for the release.
    const suppressed = 'uses-no-compression-for-control-tarball,uses-no-compression-for-data-tarball'
    // `man` itself, which lintian runs for each page, has nothing to warn of: test/docs/man-lint.test.ts.
    const left = isLong ? [] : ['--dont-check-part', 'documentation/manual']
    const options = ['--allow-root', '--suppress-tags', suppressed, ...left]
    const { exitCode, stdout } = await execa('lintian', [...options, deb], { reject: false })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    await build(standIn)
    expect(await digest(deb)).toBe(before)
  })
})

const binary = join(root, 'build/deb.binary')

const debians = [
  ['Debian 12', 'box'],
  ['Debian 13', 'nas'],
] as const
/** Where the demo is played: which Debian it is and in which form converge is there do not depend on each other, and other forms are tested elsewhere. */
const played = oneIn(2, debians)
/** Nor does a plan over the network of the lab, which needs no second one where the demo makes plans. */
const planned = isLong ? debians : debians.filter((one) => !played.includes(one))

/** One build of the single binary is in all of it. */
describe.skipIf(noLab)('a single binary', () => {
  let deb = ''
  let lab: Lab
  let site: Site

  beforeAll(async () => {
    deb = await build()
    lab = await startLab([{ name: 'box', kind: 'box', named: true }])
    site = await openSite(lab.sshConfigFile)
    await site.write({ box: machine({ flagship: kindB() }) })
    await writeSsh()
  })

  /** `ssh/`, for the `~/.ssh` of a person who goes to the box over the network of the lab. */
  async function writeSsh(): Promise<void> {
    const { keyFile, knownHostsFile, port } = lab.host('box')
    const folder = join(site.directory, 'ssh')
    await mkdir(folder, { mode: 0o700 })
    await copyFile(keyFile, join(folder, 'key'))
    await copyFile(knownHostsFile, join(folder, 'known_hosts'))
    const config = `Host box\nHostName box\nHostKeyAlias [127.0.0.1]:${port}\nUser op\nIdentityFile ~/.ssh/key\nUserKnownHostsFile ~/.ssh/known_hosts\n`
    await writeFile(join(folder, 'config'), config)
  }

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  describe.each(debians)('as a deb on %s without Node', (_, name) => {
    let container = ''
    const inside = (command: string, user = 'op') =>
      tryDocker(['exec', '--user', user, '--env', 'HOME=/home/op', container, 'sh', '-c', command])

    beforeAll(async () => {
      const image = imageOf(await prepareImages([name]), name)
      const mounted = ['--network', basename(lab.directory), '--volume', `${deb}:/tmp/converge.deb:ro`]
      container = await docker(['run', '--detach', '--rm', ...mounted, image, 'sleep', '300'])
    })

    afterAll(async () => {
      if (container !== '') await docker(['rm', '--force', '--volumes', container])
    })

    it('is installed, with completions and manual pages', async () => {
      expect(await inside('command -v node nodejs')).toMatchObject({ exitCode: 127 })
      const { exitCode, stderr } = await inside('dpkg -i /tmp/converge.deb', 'root')
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
      expect(await inside('converge --version')).toMatchObject({ exitCode: 0, stdout: version })
      const { stdout } = await inside('dpkg -L converge')
      expect(stdout).toContain('/usr/share/bash-completion/completions/converge')
      expect(stdout).toContain('/usr/share/man/man1/converge-plan.1.gz')
    })

    it.each(played.filter(([, one]) => one === name))(
      'plays the demo on %s: plans, an apply and a correction over SSH on simulated hosts',
      async () => {
        const { exitCode, stdout, stderr } = await inside('converge demo')
        expect({ exitCode, stderr, stdout }).toMatchObject({ exitCode: 0 })
        expect(stdout).toContain('Plan: nothing to change')
        expect(stdout).not.toMatch(/npx|inventories\/home/)
      },
    )

    it.each(planned.filter(([, one]) => one === name))('plans a host of the lab on %s', async () => {
      await docker(['cp', join(site.directory, 'ssh'), `${container}:/home/op/.ssh`])
      await docker(['cp', site.inventory, `${container}:/home/op/fleet`])
      await inside('chown -R op /home/op/.ssh /home/op/fleet', 'root')
      expect(plannedOnBox(await inside(`LAB_KEY=${serviceKey} converge plan -i ~/fleet --json`))).toContain('start flagship')
      await inside('rm -r ~/fleet ~/.ssh')
    })

    it('leaves nothing but the state of the user when it is purged', async () => {
      await inside('mkdir -p ~/.local/state/converge && touch ~/.local/state/converge/mine')
      expect(await inside('dpkg -P converge', 'root')).toMatchObject({ exitCode: 0 })
      const found = await inside(
        "find / -xdev -iname '*converge*' -not -path '/proc/*' -not -path '/tmp/converge.deb' 2>/dev/null",
        'root',
      )
      expect(found.stdout.split('\n').filter((path) => !path.startsWith('/var/log/'))).toEqual(['/home/op/.local/state/converge'])
    })
  })

  describe('in a container image', () => {
    const image = `converge-test:${process.pid}`
    const state = `converge-test-state-${process.pid}`
    let container = ''
    /** As a CI runner starts it that lets nothing be written but the state. */
    const run = (...words: readonly string[]) =>
      tryDocker(['run', '--rm', '--read-only', '--volume', `${state}:/state`, image, ...words])
    const inside = (command: string) => tryDocker(['exec', '--env', `LAB_KEY=${serviceKey}`, container, 'sh', '-c', command])

    beforeAll(async () => {
      // Debian 13 with what the image installs, so that no test needs the network. Its first accounts are taken.
      const base = imageOf(await prepareImages(['nas']), 'nas')
      const options = ['--quiet', '--build-arg', `BASE=${base}`, '--build-arg', 'USER_ID=4711', '--tag', image]
      await execa(process.execPath, ['packaging/container/build.ts', binary, ...options], { cwd: root })
      const volumes = [`${state}:/state`, '/home/converge/.ssh', '/fleet'].flatMap((one) => ['--volume', one])
      const words = ['run', '--detach', '--rm', '--read-only', '--network', basename(lab.directory), ...volumes]
      container = await docker([...words, '--entrypoint', 'sleep', image, '300'])
      for (const [folder, place] of Object.entries({ ssh: '/home/converge/.ssh', inventory: '/fleet' })) {
        const { stdout } = await execa('tar', ['-C', join(site.directory, folder), '-c', '.'], { encoding: 'buffer' })
        await execa('docker', ['exec', '--interactive', container, 'tar', '-C', place, '-x', '--no-same-owner'], {
          input: stdout,
        })
      }
    })

    afterAll(async () => {
      if (container !== '') await docker(['rm', '--force', '--volumes', container])
      await tryDocker(['volume', 'rm', '--force', state])
      await tryDocker(['image', 'rm', '--force', image])
    })

    it('starts without rights, and says what it is', async () => {
      const { stdout } = await run('--version', '--json')
      expect(JSON.parse(stdout)).toMatchObject({ version, form: 'container' })
      expect(await inside('id -u; touch /usr/local/bin/other')).toMatchObject({ exitCode: 1, stdout: '4711' })
    })

    it('finds nothing missing where only its state can be written', async () => {
      const { exitCode, stdout } = await run('doctor')
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      expect(stdout).toMatch(/✓ ssh .*\n✓ ssh-keygen .*\n[^]*✓ state folder +\/state [^]*✓ cache folder/)
    })

    it('says why the demo cannot be played where no program may be written', async () => {
      const { exitCode, stderr } = await tryDocker(['run', '--rm', '--read-only', '--tmpfs', '/tmp', image, 'demo'])
      expect({ exitCode, stderr }).toEqual({
        exitCode: 5,
        stderr: expect.stringMatching(/DEMO\.IMPOSSIBLE[^]*\/tmp, which is mounted noexec/),
      })
    })

    it('plans a host of the lab, and the next container knows of it', async () => {
      expect(plannedOnBox(await inside('converge plan -i /fleet --json'))).toContain('start flagship')
      expect(await run('history')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/plan +0 +converge +box/) })
    })
  })

  it('is installed from its archive by the install script of the release, and removed', async () => {
    const { stdout } = await execa(process.execPath, ['packaging/archive/build.ts', binary], {
      cwd: root,
      env: { ARCHIVE_LEVEL: '1' },
    })
    const archive = stdout.trim()
    const home = await mkdtemp(join(tmpdir(), 'converge-archive-'))
    const sums = `${await digest(archive)}  ${basename(archive)}\n`
    await using server = await listening(
      createServer((request, response) =>
        request.url === '/SHA256SUMS' ? response.end(sums) : void createReadStream(archive).pipe(response),
      ),
    )
    const env = { PATH: '/usr/bin:/bin', HOME: home, CONVERGE_DOWNLOADS: server.url }
    const install = (...words: readonly string[]) =>
      execa('sh', ['packaging/install.sh', ...words], { cwd: root, env, extendEnv: false })
    expect((await install()).stdout).toContain(`converge ${version} is installed: ${home}/.local/bin/converge`)
    expect(await readdir(join(home, '.local/share/man/man1'))).toContain('converge-plan.1')
    await install('--uninstall')
    const left = await readdir(join(home, '.local'), { recursive: true, withFileTypes: true })
    expect(left.filter((entry) => entry.isFile())).toEqual([])
    await Promise.all([rm(home, { recursive: true }), rm(archive)])
  })

  afterAll(() => rm(binary, { force: true }))
})

/** `start flagship, …`; what was printed if that is no plan. */
function plannedOnBox({ exitCode, stdout, stderr }: CommandResult): string {
  if (exitCode !== 0) return `exit code ${exitCode}\n${stderr}\n${stdout}`
  const plan: Plan = JSON.parse(stdout)
  return changesOn(plan, 'box').join()
}
