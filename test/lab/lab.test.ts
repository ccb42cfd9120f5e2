import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { mustExec } from './host.ts'
import { labHost, noLab } from './lab-hosts.ts'

const NAMES = ['nas', 'box', 'busybox', 'bastion', 'elsewhere', 'old', 'inner']

function ssh(name: string, command: string, user = 'op') {
  return execa('ssh', ['-F', labHost(name).sshConfigFile, '-o', 'BatchMode=yes', '-l', user, name, command], { reject: false })
}

describe.skipIf(noLab)('the lab', () => {
  it.each(NAMES)('%s answers ssh with the key of the run and a host key that was known before', async (name) => {
    expect(await ssh(name, 'hostname; id -un')).toMatchObject({ exitCode: 0, stdout: `${name}\nop` })
    expect(await ssh(name, 'id -u', 'root')).toMatchObject({ exitCode: 0, stdout: '0' })
  })

  it('publishes ports of 127.0.0.1 only, and none of the host behind the bastion', async () => {
    const published = await Promise.all(NAMES.map((name) => execa('docker', ['port', labHost(name).containerId])))
    expect(published.map(({ stdout }) => stdout.replace(/\d+$/, 'N'))).toEqual([
      ...Array(NAMES.length - 1).fill('22/tcp -> 127.0.0.1:N'),
      '',
    ])
  })

  it.each(['nas', 'box', 'inner'])('%s has a systemd without a failed unit', async (name) => {
    expect(await mustExec(labHost(name), 'systemctl is-system-running')).toBe('running')
  })

  it.each(['nas', 'box'])('%s has a user with sudo and one that needs a password for it', async (name) => {
    expect(await ssh(name, 'sudo -n id -u')).toMatchObject({ exitCode: 0, stdout: '0' })
    expect(await ssh(name, 'sudo -n id -u', 'pw')).toMatchObject({ exitCode: 1, stderr: 'sudo: a password is required' })
    expect(await ssh(name, 'echo pw-password | sudo -S -p "" id -u', 'pw')).toMatchObject({ exitCode: 0, stdout: '0' })
  })

  it('busybox is bare', async () => {
    const { stdout } = await ssh('busybox', 'for tool in sudo bash ss lsof systemctl docker python3; do command -v $tool; done')
    expect(stdout).toBe('')
    expect((await ssh('busybox', 'netstat -tln')).stdout).toContain('0.0.0.0:22')
  })

  it.each(['tiny/tiny.gguf', 'tiny-sharded/tiny-00001-of-00003.gguf'])(
    'the NAS runs a real llama-server with %s',
    async (model) => {
      const nas = labHost('nas')
      const flags = `--host 0.0.0.0 --port 9990 --model /models/${model} --alias tiny --ctx-size 512 --jinja --api-key secret`
      await mustExec(
        nas,
        `docker run -d --name self-test -p 9990:9990 -v /srv/models:/models:ro ghcr.io/ggml-org/llama.cpp:server ${flags}`,
      )
      try {
        const ask = 'curl -s -H "Authorization: Bearer secret" http://127.0.0.1:9990'
        await expect.poll(async () => (await nas.exec(`${ask}/health`)).stdout).toBe('{"status":"ok"}')
        expect(JSON.parse(await mustExec(nas, `${ask}/v1/models`))).toMatchObject({ data: [{ id: 'tiny' }] })
        const question = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], max_tokens: 3 })
        const answer: unknown = JSON.parse(await mustExec(nas, `${ask}/v1/chat/completions -d @-`, { stdin: question }))
        expect(answer).toMatchObject({ object: 'chat.completion', usage: { completion_tokens: expect.any(Number) } })
        expect(await mustExec(nas, 'curl -s -o /dev/null -w %{http_code} http://127.0.0.1:9990/v1/models')).toBe('401')
      } finally {
        await mustExec(nas, 'docker rm -f self-test')
      }
    },
  )

  it('the NAS has compose', async () => {
    expect(await mustExec(labHost('nas'), 'docker compose version --short')).toMatch(/^2\./)
  })

  it('the box runs the Kind B double under systemd', async () => {
    const box = labHost('box')
    const unit = '--unit=self-test --uid=op --setenv=SRV_MODEL=/srv/models/flagship --setenv=SRV_API_KEY=secret'
    await mustExec(box, `systemd-run ${unit} /usr/bin/python3 /opt/kindb/serve serve --host 127.0.0.1 --port 9997`)
    try {
      const ask = 'curl -s http://127.0.0.1:9997/health'
      await expect.poll(async () => (await box.exec(ask)).stdout).toBe('{"status":"ok"}')
    } finally {
      await mustExec(box, 'systemctl stop self-test')
    }
  })

  it.each([
    ['nas', 'docker compose'],
    ['old', 'docker-compose'],
  ])('%s answers for compose with the version that the program itself prints', async (name, compose) => {
    const printed = await mustExec(labHost(name), '/usr/lib/asked/docker-compose version --short')
    expect(await mustExec(labHost(name), `${compose} version --short`)).toBe(printed)
  })

  it('elsewhere has docker where nothing looks for it', async () => {
    expect((await ssh('elsewhere', 'command -v docker')).exitCode).not.toBe(0)
    expect((await ssh('elsewhere', '/opt/container/bin/docker image ls --format "{{.Repository}}"')).stdout).toContain(
      'llama.cpp',
    )
  })

  it('the box has no engine', async () => {
    expect((await ssh('box', 'command -v docker docker-compose dockerd')).exitCode).not.toBe(0)
  })

  it('old has compose version 1 and an engine that runs containers', async () => {
    expect((await ssh('old', 'docker compose version')).exitCode).not.toBe(0)
    expect((await ssh('old', 'docker-compose version --short')).stdout).toMatch(/^1\./)
    expect(await mustExec(labHost('old'), 'docker run --rm ghcr.io/ggml-org/llama.cpp:server --version 2>&1')).toContain(
      'version',
    )
  })
})
