import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, type ExpectStatic, it } from 'vitest'
import { processTable } from '../../simulation/process-table.ts'
import { convergeHere } from '../support/converge-here.ts'
import { program } from '../support/program.ts'

/** The tour as a person gets it from a checkout, which is the bundle: the fleet's programs have to be found beside it. */
function tour(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const child = execa(process.execPath, [program, 'demo', ...args], {
    reject: false,
    all: true,
    stdin: 'ignore',
    env: { PATH: process.env['PATH'], HOME: '/dev/null/nowhere', ...env },
    extendEnv: false,
  })
  let output = ''
  let ended = false
  void child.finally(() => {
    ended = true
  })
  child.all.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const said = async (words: string): Promise<void> => {
    for (;;) {
      if (output.includes(words)) return
      if (ended) throw new Error(`it ended and did not say "${words}":\n${output}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return {
    child,
    said,
    output: () => output,
    /** This process alone, as a supervisor does; a terminal's interrupt reaches no more, for what it runs has groups of its own. */
    kill: (signal: NodeJS.Signals) => process.kill(child.pid ?? 0, signal),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGINT')
      await child
    },
  }
}

async function pathOf(tool: string): Promise<string> {
  return (await execa('sh', ['-c', `command -v ${tool}`])).stdout
}

function folderIn(text: string): string {
  const [folder] = /\/\S*converge-demo-\w+/.exec(text) ?? []
  if (folder === undefined) throw new Error(`no folder of the fleet in:\n${text}`)
  return folder
}

/** The verbs as the closing words of the tour have them. */
async function beside(folder: string, words: readonly string[]) {
  const env = { PATH: process.env['PATH'], CONVERGE_INVENTORY: join(folder, 'fleet'), CONVERGE_STATE_DIR: join(folder, 'state') }
  const ended = await convergeHere(words, { env, cwd: process.cwd() })
  return { ...ended, all: `${ended.stdout}\n${ended.stderr}` }
}

function ssh(folder: string, host: string, command: string) {
  return execa('ssh', ['-F', join(folder, 'ssh_config'), host, command], { reject: false, all: true, stdin: 'ignore' })
}

/** Processes that were started from the fleet's folder. */
function left(folder: string): readonly string[] {
  return processTable().flatMap(({ words }) => (words().some((word) => word.includes(folder)) ? [words().join(' ')] : []))
}

/** In a tour whose host `box` no longer runs its server; there are none where the machine has no user namespaces. */
async function shellsSeeTheirHostAlone(folder: string, text: string, expect: ExpectStatic): Promise<void> {
  const unit = '/etc/systemd/system/flagship.service'
  const mark = `converge-demo-test-${process.pid}`
  const typed = async (host: string, command: string) => (await ssh(folder, host, command)).all
  if (!text.includes('sees only that host')) {
    // This machine has no user namespaces, and then there is nothing to see.
    expect(await typed('box', 'cat /etc/shadow')).toContain('has no shell of its own')
    return
  }
  expect(await typed('box', `echo hello >/srv/${mark} && cat /srv/${mark} && ls /srv`)).toBe(`hello\n${mark}\nmodels`)
  expect(existsSync(`/srv/${mark}`)).toBe(false)
  expect(existsSync(join(folder, 'box/root/srv', mark))).toBe(true)
  expect(await typed('box', `sed -i s/16384/8192/ ${unit} && sudo systemctl daemon-reload`)).toBe('')
  expect((await beside(folder, ['plan', '--limit', 'box'])).all).toContain('8192 → 16384')
  for (const host of ['box', 'mini']) {
    expect(await typed(host, 'cat /etc/shadow')).toContain('No such file')
    expect(await typed(host, `ls -d ${folder}/* ${import.meta.dirname} 2>/dev/null`)).toBe(join(folder, host))
    expect(await typed(host, 'docker ps || /usr/bin/docker ps')).toMatch(/docker: not found[^]*docker: not found/)
    const listed = (await typed(host, 'ps -ax')).split('\n').filter((line) => /^ *\d+ /.test(line))
    expect(listed.filter((line) => !/init|launchd|loginwindow|llama-server|kindb/.test(line))).toEqual([])
  }
  expect(await typed('mini', 'launchctl print gui/501/com.example.coder')).toContain('state = running')
  const advice = async () => {
    const { warnings } = JSON.parse((await beside(folder, ['plan', '--json', '--limit', 'mini'])).stdout).hosts[0]
    return warnings.find(({ code }: { readonly code: string }) => code === 'LOG.UNBOUNDED')?.next[0]
  }
  await typed('mini', (await advice()).replace('On mini:', ''))
  expect(await advice()).toBe(undefined)
  const line = await execa('ssh', ['-F', join(folder, 'ssh_config'), 'mini'], { input: 'echo $((6 * 7)) for "$LOGNAME"\n' })
  expect(line.stdout).toContain('42 for op')
}

describe.concurrent('converge demo', { timeout: 300_000 }, () => {
  it('shows refusals, applies, has nothing left to do, stays up with --keep, has shells, and leaves no server when it is killed', async ({
    expect,
  }) => {
    await using running = tour(['--keep'])
    const { said, output, kill } = running
    await said('to remove the fleet')
    const text = output()
    const codes = ['CORUN.SECOND_KIND_A', 'MOE.GPU_OFFLOAD'].filter((code) =>
      new RegExp(`✗ .*${code.replace('.', '\\.')}`).test(text),
    )
    expect(codes).toHaveLength(2)
    expect(text).toContain('Done: 6 applied, 3 of 3 servers verified. A second plan is empty.')
    expect(text).toContain('definition.command.--ctx-size  8192 → 16384')
    expect(text.match(/^Plan: .*/gm)?.at(-1)).toMatch(/^Plan: nothing to change, 0 refused/)

    const folder = folderIn(text)
    expect((await beside(folder, ['status'])).all).toMatch(/^box +flagship +B \(serve\) +running/m)
    expect(await beside(folder, ['demo', '--change', 'stop-unit'])).toMatchObject({ code: 0 })
    expect((await beside(folder, ['drift', '--limit', 'box'])).all).toContain('flagship')
    expect((await beside(folder, ['status', '--limit', 'box'])).all).not.toMatch(/^box +flagship +B \(serve\) +running/m)
    expect((await beside(folder, ['demo', '--change', 'nothing'])).all).toContain('demo --change edit-plist')
    await shellsSeeTheirHostAlone(folder, text, expect)

    const servers = () => left(folder).filter((words) => words.includes('simulation'))
    expect(servers()).not.toEqual([])
    kill('SIGKILL')
    await expect.poll(servers).toEqual([])
    // A process may still write its last output there.
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  })

  it('works where the temporary folder has a blank in its name, and takes the fleet down on SIGTERM in the middle of an apply', async ({
    expect,
  }) => {
    const place = await mkdtemp(join(tmpdir(), 'a b-'))
    await using running = tour([], { TMPDIR: place })
    const { child, said, output, kill } = running
    await said('load com.example.coder')
    const folder = folderIn(output())
    kill('SIGTERM')
    expect(output()).not.toMatch(/^\w+ {2}unreachable$/m)
    expect(output()).not.toContain('Done:')
    expect(await child).toMatchObject({ exitCode: 130 })
    expect([existsSync(folder), left(folder), left(place)]).toEqual([false, [], []])
    // Node keeps what it compiled there.
    expect((await readdir(place)).filter((name) => name !== 'node-compile-cache')).toEqual([])
    await rm(place, { recursive: true })
  })

  it('has no shells without namespaces, still changes things by hand, and takes the fleet down on SIGINT', async ({ expect }) => {
    const bin = await mkdtemp(join(tmpdir(), 'bin-'))
    for (const tool of ['ssh', 'ssh-keygen']) await symlink(await pathOf(tool), join(bin, tool))
    await using running = tour(['--keep'], { PATH: bin })
    const { child, kill } = running
    await running.said('to remove the fleet')
    expect(running.output()).toContain('A second plan is empty.')
    expect(running.output()).not.toContain('ssh -F')
    const folder = folderIn(running.output())
    const mark = join(tmpdir(), `converge-demo-test-${process.pid}`)
    expect(await ssh(folder, 'box', `touch ${mark}`)).toMatchObject({
      exitCode: 126,
      all: expect.stringContaining('converge demo --change'),
    })
    expect(existsSync(mark)).toBe(false)
    expect(await beside(folder, ['demo', '--change', 'edit-unit'])).toMatchObject({
      code: 0,
      all: expect.stringContaining('twice the context'),
    })
    expect((await beside(folder, ['demo', '--change', 'edit-unit'])).all).toContain('Nothing was changed')
    expect((await beside(folder, ['plan', '--limit', 'box'])).all).toContain('32768 → 16384')
    const seen = JSON.parse((await beside(folder, ['facts', '--json', '--limit', 'mini'])).stdout)
    expect(seen.hosts[0].facts.containers).toMatchObject({ value: { engine: null } })

    expect(left(folder)).not.toEqual([])
    kill('SIGINT')
    expect(await child).toMatchObject({ exitCode: 130 })
    expect([existsSync(folder), left(folder)]).toEqual([false, []])
    await rm(bin, { recursive: true })
  })
})
