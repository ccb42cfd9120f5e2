import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Listening, listening } from '../support/listening.ts'

const script = join(import.meta.dirname, '../../packaging/install.sh')
const machine = process.arch === 'x64' ? 'x86_64' : 'aarch64'
const name = `converge-9.9.9-linux-${process.arch}`

describe('the install script', () => {
  let folder = ''
  let home = ''
  let server: Listening
  let archive: Buffer
  /** What the server has. */
  const served = new Map<string, Buffer | string>()
  /** Ends the connection after so many bytes of the archive. */
  let cutAt: number | undefined

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'converge-install-'))
    for (const place of ['bin', 'share/man/man1', 'share/fish/vendor_completions.d'])
      await mkdir(join(folder, name, place), { recursive: true })
    await writeFile(join(folder, name, 'bin/converge'), '#!/bin/sh\necho 9.9.9\n', { mode: 0o755 })
    await writeFile(join(folder, name, 'share/man/man1/converge.1'), 'a page\n')
    await writeFile(join(folder, name, 'share/fish/vendor_completions.d/converge.fish'), 'completions\n')
    await execa('tar', ['-C', folder, '-czf', join(folder, 'archive'), name])
    archive = await readFile(join(folder, 'archive'))
    server = await listening(
      createServer((request, response) => {
        const content = served.get(request.url ?? '')
        response.writeHead(content === undefined ? 404 : 200, { 'content-length': Buffer.byteLength(content ?? '') })
        if (cutAt === undefined || typeof content !== 'object') response.end(content)
        else response.write(content.subarray(0, cutAt), () => response.destroy())
      }),
    )
  })

  beforeEach(async () => {
    home = await mkdtemp(join(folder, 'home-'))
    cutAt = undefined
    served.clear()
    served.set(`/${name}.tar.gz`, archive)
    served.set('/SHA256SUMS', `${'0'.repeat(64)}  converge-9.9.9-plan9-x64.tar.gz\n${sha256(archive)}  ${name}.tar.gz\n`)
  })

  afterEach(() => rm(home, { recursive: true, force: true }))

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const run = (args: readonly string[] = [], { path = '/usr/bin:/bin', text = '' } = {}) =>
    execa('sh', text === '' ? [script, ...args] : ['-s', ...args], {
      input: text,
      env: { PATH: path, HOME: home, CONVERGE_DOWNLOADS: server.url },
      extendEnv: false,
      reject: false,
      all: true,
    })

  const untouched = async () => {
    expect(existsSync(join(home, '.local/bin/converge'))).toBe(false)
    const left = existsSync(join(home, '.local')) ? await readdir(join(home, '.local')) : []
    expect(left).toEqual([])
  }

  /** A PATH with what the script uses, these programs, and neither curl nor wget. */
  async function pathWith(own: Readonly<Record<string, string>>, borrowed: readonly string[] = []): Promise<string> {
    const bin = await mkdtemp(join(folder, 'bin-'))
    for (const [program, text] of Object.entries(own))
      await writeFile(join(bin, program), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    const others = 'cat chmod cp cut grep gzip head ls mkdir mktemp mv rm sha256sum sh tar uname wc'.split(' ')
    for (const program of [...others, ...borrowed]) {
      if (!(program in own)) await symlink(join('/usr/bin', program), join(bin, program))
    }
    return bin
  }

  it('installs below ~/.local what SHA256SUMS names for this platform, and says what is missing in PATH', async () => {
    const { exitCode, all } = await run()
    expect({ exitCode, all }).toEqual({
      exitCode: 0,
      all: expect.stringContaining(`converge 9.9.9 is installed: ${home}/.local/bin/converge`),
    })
    expect(all).toContain('is not on your PATH')
    expect((await execa(join(home, '.local/bin/converge'))).stdout).toBe('9.9.9')
    expect((await readdir(join(home, '.local'))).toSorted()).toEqual(['bin', 'share'])
    expect(existsSync(join(home, '.local/share/man/man1/converge.1'))).toBe(true)
  })

  it.each(['dash', 'busybox ash', 'bash --posix'])('runs under %s, as it does when it is piped to a shell', async (shell) => {
    const [program = '', ...words] = shell.split(' ')
    const env = { PATH: '/usr/bin:/bin', HOME: home, CONVERGE_DOWNLOADS: server.url }
    const { exitCode, all } = await execa(program, [...words, '-s', '--', '--prefix', `${home}/a place`], {
      input: await readFile(script, 'utf8'),
      env,
      extendEnv: false,
      reject: false,
      all: true,
    })
    expect({ exitCode, all }).toEqual({ exitCode: 0, all: expect.stringContaining(`${home}/a place/bin/converge`) })
  })

  it('takes wget where there is no curl', async () => {
    const { exitCode, all } = await run([], { path: await pathWith({}, ['wget']) })
    expect({ exitCode, all }).toEqual({ exitCode: 0, all: expect.stringContaining('is installed') })
    expect(all).toContain('there is no ssh on your PATH')
  })

  it('replaces an older one, and removes all that it installed', async () => {
    const bin = join(home, '.local/bin')
    await mkdir(bin, { recursive: true })
    await writeFile(join(bin, 'converge'), 'older')
    await writeFile(join(bin, 'mine'), 'mine')
    await run()
    expect((await execa(join(bin, 'converge'))).stdout).toBe('9.9.9')
    const { exitCode } = await run(['--uninstall'])
    expect(exitCode).toBe(0)
    const left = await readdir(join(home, '.local'), { recursive: true, withFileTypes: true })
    expect(left.filter((entry) => entry.isFile()).map((entry) => entry.name)).toEqual(['mine'])
  })

  it('refuses an archive that is not the one that SHA256SUMS names', async () => {
    served.set('/SHA256SUMS', `${sha256(Buffer.from('another'))}  ${name}.tar.gz\n`)
    const { exitCode, all } = await run()
    expect(exitCode).toBe(1)
    expect(all).toMatch(/is not the file that SHA256SUMS names\n {2}expected [0-9a-f]{64}\n {2}found {4}[0-9a-f]{64}/)
    await untouched()
  })

  it.each(['curl', 'wget'])('installs nothing of a download by %s that is cut off', async (program) => {
    cutAt = 100
    const once = program === 'wget' ? { wget: 'exec /usr/bin/wget -t 1 "$@"' } : {}
    const { exitCode, all } = await run([], { path: await pathWith(once, program === 'wget' ? [] : [program]) })
    expect(exitCode).toBe(1)
    expect(all).toContain('failed\n  Nothing was installed.')
    await untouched()
  })

  it.each([
    ['no SHA256SUMS', undefined, 'the download of http'],
    ['a page instead of it', '<html>\n', 'names no archive'],
    [
      'two archives for this platform',
      `${'0'.repeat(64)}  ${name}.tar.gz\n${'1'.repeat(64)}  ${name}.tar.gz\n`,
      'names several archives',
    ],
    ['a name that leads elsewhere', `${'0'.repeat(64)}  converge-../../evil-linux-${process.arch}.tar.gz\n`, 'names no archive'],
  ])('refuses %s', async (_, sums, said) => {
    served.delete('/SHA256SUMS')
    if (sums !== undefined) served.set('/SHA256SUMS', sums)
    const { exitCode, all } = await run()
    expect({ exitCode, all }).toEqual({ exitCode: 1, all: expect.stringContaining(said) })
    await untouched()
  })

  it.each([
    ['SunOS', machine, `sunos`],
    ['Linux', 'riscv64', 'linux-riscv64'],
    ['Darwin', 'x86_64', 'darwin-x64'],
  ])('says that there is no binary for %s on %s', async (system, processor, shown) => {
    const uname = `case $1 in -s) echo ${system} ;; -m) echo ${processor} ;; esac`
    const { exitCode, all } = await run([], { path: await pathWith({ uname }, ['curl']) })
    expect(exitCode).toBe(1)
    expect(all?.toLowerCase()).toContain(`there is no binary for this platform (${shown}`)
    await untouched()
  })

  it('installs nothing that does not start', async () => {
    const { stdout } = await execa(
      'sh',
      [
        '-c',
        `cd "$1" && rm -rf other && mkdir other && cp -r "$2" other && printf '#!/bin/sh\\nexit 127\\n' >"other/$2/bin/converge" && tar -C other -czf - "$2"`,
        'sh',
        folder,
        name,
      ],
      { encoding: 'buffer' },
    )
    served.set(`/${name}.tar.gz`, Buffer.from(stdout))
    served.set('/SHA256SUMS', `${sha256(Buffer.from(stdout))}  ${name}.tar.gz\n`)
    const { exitCode, all } = await run()
    expect({ exitCode, all }).toEqual({ exitCode: 1, all: expect.stringContaining('the program does not start on this system') })
    await untouched()
  })

  it.each([
    ['an empty prefix', ['--prefix', ''], 'there is no folder to install below'],
    ['to remove what it did not install', ['--uninstall'], 'this script installed no converge'],
  ])('refuses %s', async (_, args, said) => {
    const { exitCode, all } = await run(args)
    expect({ exitCode, all }).toEqual({ exitCode: 1, all: expect.stringContaining(said) })
  })

  it('leaves a link that npm made', async () => {
    const bin = join(home, '.local/bin')
    await mkdir(bin, { recursive: true })
    await symlink('../lib/main.js', join(bin, 'converge'))
    const { exitCode, all } = await run(['--uninstall'])
    expect({ exitCode, all }).toEqual({ exitCode: 1, all: expect.stringContaining('Nothing was removed') })
    expect(await readdir(bin)).toEqual(['converge'])
  })

  it('installs nothing into a folder in the place of the program', async () => {
    await mkdir(join(home, '.local/bin/converge'), { recursive: true })
    const { exitCode, all } = await run()
    expect({ exitCode, all }).toEqual({ exitCode: 1, all: expect.stringContaining('the program is not') })
    expect(await readdir(join(home, '.local/bin/converge'))).toEqual([])
  })

  it.each(['curl', 'wget'])('ends an endless download by %s', async (program) => {
    served.set('/SHA256SUMS', 'x'.repeat(3_000_000))
    const { exitCode, all } = await run([], { path: await pathWith({}, [program]) })
    expect(exitCode).toBe(1)
    expect(all).toMatch(/the download of .* failed|names no archive/)
    await untouched()
  })

  it('finds the program on the PATH, with a slash at the end of the prefix or not', async () => {
    const { all } = await run(['--prefix', `${home}/.local/`], { path: `${home}/.local/bin:/usr/bin:/bin` })
    expect(all).toContain(`${home}/.local/bin/converge`)
    expect(all).not.toContain('is not on your PATH')
  })

  it('does nothing when only a part of it arrives', async () => {
    const text = await readFile(script, 'utf8')
    for (const part of [0.3, 0.6, 0.9, (text.length - 12) / text.length]) {
      const { stdout } = await run([], { text: text.slice(0, text.length * part) })
      expect(stdout).toBe('')
      await untouched()
    }
  })
})

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
