import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabHost, mustExec } from '../host.ts'
import { labHost, noLab } from '../lab-hosts.ts'
import { command } from './converge.ts'
import { until } from './model-server.ts'
import { expectExit, kindA, kindB, machine, openSite, type Site, serviceKey } from './site.ts'

const unit = '/etc/systemd/system/talker.service'
const log = '/var/log/talker.log'

/** What reads a log on a host: of the command of converge, its shell, and what that starts. */
const readers = 'pgrep -fl "docker [l]ogs|[j]ournalctl --no-pager|-v [n]umber=|eval \\"[$]p\\"" || :'

/** A container and a unit that only talk, on the hosts that run for all. */
describe.skipIf(noLab)('logs', () => {
  let site: Site
  let nas: LabHost
  let box: LabHost

  const container = (word: string) =>
    mustExec(
      nas,
      `docker rm -f chatter >/dev/null 2>&1; docker run -d --name chatter --entrypoint sh ghcr.io/ggml-org/llama.cpp:server -c 'i=0; while :; do i=$((i+1)); echo "${word} $i Bearer ${serviceKey}"; sleep 0.2; done'`,
    )

  beforeAll(async () => {
    nas = labHost('nas')
    box = labHost('box')
    site = await openSite(nas.sshConfigFile)
    await site.write({
      nas: machine({ chatter: kindA({ port: 9971 }), silent: kindA({ port: 9972 }) }),
      box: machine({ talker: kindB({ port: 9973 }) }),
      gone: machine({ coder: kindA() }, { ansible_host: '127.0.0.1', ansible_port: 1 }),
    })
    const talks = `while :; do date "+talks %%S to ${serviceKey}"; echo to the journal >&2; sleep 0.2; done`
    const lines = ['[Service]', `ExecStart=/bin/sh -c '${talks}'`, `StandardOutput=append:${log}`, 'StandardError=journal']
    await mustExec(box, `cat >${unit} && systemctl daemon-reload && systemctl start talker`, { stdin: `${lines.join('\n')}\n` })
    await container('first')
  })

  afterAll(async () => {
    await mustExec(nas, 'docker rm -f chatter')
    await mustExec(box, `systemctl stop talker; rm -f ${unit} ${log}*; systemctl daemon-reload`)
    await site?.dispose()
  })

  function follow(...args: readonly string[]) {
    const [file = '', ...before] = command
    const child = execa(file, [...before, ...site.arguments(['logs', '--follow', '-n', '1', ...args])], {
      env: site.environment(),
      extendEnv: false,
      cwd: site.home,
      stdin: 'ignore',
      reject: false,
    })
    let [out, err] = ['', '']
    child.stdout.on('data', (bytes: Buffer) => (out += bytes.toString()))
    child.stderr.on('data', (bytes: Buffer) => (err += bytes.toString()))
    return { child, out: () => out, err: () => err }
  }

  const nothingReads = async () => {
    for (const host of [nas, box])
      expect(
        await until(
          () => mustExec(host, readers),
          (seen) => seen === '',
        ),
      ).toBe('')
  }

  it('are followed over another container, a restart and a rotation, side by side and without keys; a host and a log that are missing hold up none', async () => {
    const { child, out, err } = follow()
    await expect.poll(out).toMatch(/^chatter@nas \| first \d+ Bearer \*\*\*$/m)
    await expect.poll(out).toMatch(/^talker@box {2}\| talks \d+ to \*\*\*$/m)
    await expect.poll(out).toMatch(/^talker@box {2}\| to the journal$/m)
    await container('second')
    await expect.poll(out).toMatch(/^chatter@nas \| second 1 /m)
    await mustExec(nas, 'docker restart -t 0 chatter')
    await expect.poll(() => out().match(/second 1 /g)?.length).toBe(2)
    // The unit still writes to the renamed file.
    await mustExec(box, `mv ${log} ${log}.1 && echo into the old one >>${log}.1`)
    await expect.poll(out).toContain('into the old one')
    await mustExec(box, `systemctl stop talker; echo into the new one >${log}`)
    await expect.poll(out).toContain('into the new one')
    expect(err()).toMatch(/^silent@nas: there is no container silent yet$/m)
    expect(err()).toMatch(/^gone: /m)
    child.kill('SIGINT')
    expect((await child).exitCode).toBe(130)
    expect(out()).not.toContain(serviceKey)
    // What was shown before a restart is not shown again.
    const shown: readonly string[] = out().match(/second \d+/g) ?? []
    const again = shown.indexOf('second 1', 1)
    expect(new Set(shown.slice(0, again)).size).toBe(again)
    await nothingReads()
    await mustExec(box, 'systemctl start talker')
  })

  it('leave no process on the host of a converge that is killed, or whose connection breaks', async () => {
    const killed = follow('chatter', 'talker')
    await expect.poll(killed.out).toMatch(/talks[^]*(first|second)/)
    for (const host of [nas, box]) expect(await mustExec(host, readers)).not.toBe('')
    killed.child.kill('SIGKILL')
    await killed.child
    await nothingReads()

    const cut = follow('chatter', 'talker')
    await expect.poll(cut.out).toMatch(/talker/)
    await mustExec(box, 'pkill -f "sshd.*: op[@]"')
    await expect.poll(cut.err).toMatch(/^box: /m)
    const shown = cut.out().length
    await expect.poll(() => cut.out().slice(shown)).toMatch(/^chatter@nas/m)
    await mustExec(nas, 'pkill -f "sshd.*: op[@]"')
    expect((await cut.child).exitCode).toBe(4)
    await nothingReads()
  })

  it('are bounded, have times, and end with their reader', async () => {
    const asked = Date.now()
    const { stdout: printed, stderr } = expectExit(await site.run(['logs', 'chatter', 'talker', '--since', '3s', '--json']), 0)
    const lines: readonly Record<string, string>[] = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const time = expect.stringMatching(/^20\S+Z$/)
    expect(lines).toContainEqual(
      expect.objectContaining({ host: 'nas', service: 'chatter', time, text: expect.stringMatching(/Bearer \*{3}$/) }),
    )
    expect(lines).toContainEqual(expect.objectContaining({ host: 'box', service: 'talker', time, text: 'to the journal' }))
    // The host is asked in whole seconds.
    const times = lines.flatMap(({ time: at }) => (at === undefined ? [] : [Date.parse(at)]))
    expect(Math.min(...times)).toBeGreaterThanOrEqual(asked - 4000)
    expect(lines.length - times.length).toBeLessThanOrEqual(100)
    expect(stderr).toContain('talker@box: its log file has no times, so --since does not apply to it')
    const all = [...command, ...site.arguments(['logs', '--follow', 'chatter'])].map((word) => `'${word}'`).join(' ')
    const { stdout, exitCode } = await execa('bash', ['-o', 'pipefail', '-c', `${all} | head -n 2`], {
      env: site.environment(),
      extendEnv: false,
      cwd: site.home,
    })
    expect(exitCode).toBe(0)
    expect(stdout.split('\n')).toHaveLength(2)
    await nothingReads()
  })
})
