import { copyFile, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type ExpectStatic, it } from 'vitest'
import { launchctl } from '../../simulation/mac/launchctl.ts'
import { writeTinyModel } from '../lab/tiny-model.ts'
import { type LinuxSite, openLinuxBox } from './linux-site.ts'
import { type Ended, type MacSite, openMac } from './mac-site.ts'

// Side by side, for what they do most is wait; each has a host and a port of its own.

const approval = ['--allow', 'DEFINITION.FOREIGN@coder', '--reason', 'it is ours now']

/** Everything of a file that has to come back: what it says, who may read it, and from when it is. */
async function fileAt(path: string) {
  const { mode, uid, gid, mtimeMs } = await stat(path)
  return { text: await readFile(path, 'utf8'), mode: mode & 0o7777, uid, gid, mtimeMs }
}

/** 0: nothing answers. */
const healthOn = (port: number) =>
  fetch(`http://127.0.0.1:${port}/health`).then(
    ({ status }) => status,
    () => 0,
  )

function expectCode(ended: Ended, code: number, expect: ExpectStatic): Ended {
  expect(ended.code, ended.output).toBe(code)
  return ended
}

const byHand = {
  unit: (port: number) => `# written by ann, in a hurry
[Unit]
Description=ann's coder

[Service]
User=op
ExecStart=/usr/local/bin/llama-server --host 127.0.0.1 --port ${port} --model /srv/models/m.gguf --alias anns --ctx-size 512
Restart=on-failure

[Install]
WantedBy=multi-user.target
`,
  agent: ({ mac, port }: MacSite) => `<?xml version="1.0" encoding="UTF-8"?>
<!-- ann's -->
<plist version="1.0"><dict>
<key>Label</key><string>com.example.coder</string>
<key>ProgramArguments</key><array><string>${mac.llamaServer}</string><string>--port</string><string>${port}</string>
<string>--model</string><string>${mac.home}/models/m.gguf</string><string>--ctx-size</string><string>512</string></array>
<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict></plist>
`,
}

/** What happens to the new server: it soon ends, without Node, or it has these knobs. */
const misbehave = async (program: string, how: 'ends' | object) =>
  how === 'ends'
    ? writeFile(program, (await readFile(program, 'utf8')).replace('esac\n', 'esac\nsleep 0.5\nexit 3\n'))
    : writeFile(`${program}.knobs.json`, JSON.stringify(how))

/** A box on which ann runs a coder of her own from the place that converge would have for it. */
async function anns(site: LinuxSite, port: number) {
  const { box } = site
  const path = box.path('/etc/systemd/system/coder.service')
  await writeTinyModel(box.path('/srv/models/m.gguf'))
  await writeFile(path, byHand.unit(port), { mode: 0o640 })
  await utimes(path, 1_700_000_000, 1_700_000_000)
  box.systemd.reload()
  const unit = box.systemd.service('coder.service')
  await unit.start()
  /** The new server is another program, so that it alone misbehaves. */
  const renew = async () => {
    const next = box.path('/usr/local/bin/llama-next')
    await copyFile(box.path('/usr/local/bin/llama-server'), next)
    return next
  }
  const coder = (more: object = {}) => ({
    kind: 'A',
    manager: 'systemd',
    port,
    host: '127.0.0.1',
    model: { path: '/srv/models/m.gguf' },
    executable: '/usr/local/bin/llama-next',
    ctx_size: 1024,
    api_key: { env: 'FLAGSHIP_KEY' },
    ready_timeout: 20,
    stop_timeout: 5,
    ...more,
  })
  const words = async () => {
    const { main } = box.systemd.service('coder.service')
    return main === undefined ? '' : (await readFile(`/proc/${main.pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
  }
  return { path, coder, renew, words }
}

/** How the new server misbehaves, the exit code of the apply, and its problem. */
type Case = readonly [name: string, how: 'ends' | object, code: number, problem: string]

const endsAtOnce: Case = ['ends at once', 'ends', 5, 'APPLY.NOT_REACHED']
const exitsLater: Case = ['exits after the last check', { loadMs: 9000, crash: 3 }, 6, 'APPLY.NOT_PROVED']
const neverReady: Case = ['never gets ready', { loadMs: 600_000 }, 6, 'APPLY.NOT_PROVED']

describe.concurrent('a foreign unit that a change took over', { timeout: 180_000 }, () => {
  it('is back as it was where the new server ends at once, exits after the last check, or never gets ready', async ({
    expect,
  }) => {
    const port = 13_600
    await using site = await openLinuxBox(port)
    const { path, coder, renew, words } = await anns(site, port)
    const before = await fileAt(path)
    await site.inventory({ coder: coder({ ready_timeout: 10 }) })
    expect(expectCode(await site.converge('apply', '-y'), 3, expect).output).toContain('DEFINITION.FOREIGN')
    for (const [name, how, code, problem] of [endsAtOnce, exitsLater, neverReady]) {
      await misbehave(await renew(), how)
      const { stdout } = expectCode(await site.converge('apply', '-y', ...approval), code, expect)
      expect(stdout, name).toContain(problem)
      expect(stdout, name).toContain('rolled back: the previous state is restored')
      expect(await fileAt(path), name).toEqual(before)
      expect(site.box.systemd.service('coder.service').activeState, name).toBe('active')
      expect(await words(), name).toContain('--ctx-size 512')
      await expect.poll(() => healthOn(port), { message: name }).toBe(200)
    }
  })

  it('is not reported as restored if another process took its port meanwhile', async ({ expect }) => {
    const port = 13_603
    await using site = await openLinuxBox(port)
    const { path, coder, renew } = await anns(site, port)
    const before = await fileAt(path)
    const thief = `require('net').createServer().listen(${port}, '127.0.0.1'); setTimeout(() => process.exit(), 30_000)`
    const lines = `#!/bin/sh\nsetsid '${process.execPath}' -e "${thief}" </dev/null >/dev/null 2>&1 &\nsleep 2\nexit 1\n`
    await writeFile(await renew(), lines)
    await site.inventory({ coder: coder() })
    const { stdout } = expectCode(await site.converge('apply', '-y', ...approval), 5, expect)
    expect(stdout).toContain('NOT rolled back')
    expect(stdout).toContain('the rollback stopped at "see that coder.service runs')
    expect(await fileAt(path)).toEqual(before)
  })
})

describe.concurrent('a foreign agent that a change took over', { timeout: 180_000 }, () => {
  it('is back as it was where the new server ends at once, or exits after the last check', async ({ expect }) => {
    await using site = await openMac(12_220)
    const { mac, port } = site
    const path = join(mac.home, 'Library/LaunchAgents/com.example.coder.plist')
    await writeFile(path, byHand.agent(site), { mode: 0o600 })
    await utimes(path, 1_700_000_000, 1_700_000_000)
    await launchctl(mac.launchd, ['bootstrap', 'gui/501', path])
    await launchctl(mac.launchd, ['kickstart', 'gui/501/com.example.coder'])
    const before = await fileAt(path)
    const next = join(mac.home, 'bin/llama-next')
    await site.inventory({ coder: site.coder({ executable: next, ready_timeout: 10 }) })
    for (const [name, how, code, problem] of [endsAtOnce, exitsLater]) {
      await copyFile(mac.llamaServer, next)
      await misbehave(next, how)
      const { stdout } = expectCode(await site.converge('apply', '-y', ...approval), code, expect)
      expect(stdout, name).toContain(problem)
      expect(stdout, name).toContain('rolled back: the previous state is restored')
      expect(await fileAt(path), name).toEqual(before)
      const job = await site.job()
      expect(job, name).toMatchObject({ state: 'running' })
      expect(job.arguments.join(' '), name).toContain('--ctx-size 512')
      await expect.poll(() => healthOn(port), { message: name }).toBe(200)
    }
    // Still a person's, as it was before.
    expect(expectCode(await site.converge('apply', '-y'), 3, expect).output).toContain('DEFINITION.FOREIGN')
  })
})
