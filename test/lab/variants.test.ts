import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mustExec } from './host.ts'
import { type Lab, startLab } from './hosts.ts'
import { noLab } from './lab-hosts.ts'

/** Hosts that a test starts for itself. */
describe.skipIf(noLab)('variants of the NAS', () => {
  let lab: Lab

  beforeAll(async () => {
    lab = await startLab([
      { name: 'elsewhere', kind: 'nas', engine: 'unusual' },
      { name: 'without', kind: 'nas', engine: 'none' },
      { name: 'old', kind: 'old-nas' },
    ])
  })

  afterAll(() => lab.stop())

  const ssh = (name: string, command: string) => execa('ssh', ['-F', lab.sshConfigFile, name, command], { reject: false })

  it('has docker where nothing looks for it', async () => {
    expect((await ssh('elsewhere', 'command -v docker')).exitCode).not.toBe(0)
    expect((await ssh('elsewhere', '/opt/container/bin/docker image ls --format "{{.Repository}}"')).stdout).toContain(
      'llama.cpp',
    )
  })

  it('has no engine', async () => {
    expect((await ssh('without', 'command -v docker docker-compose dockerd')).exitCode).not.toBe(0)
  })

  it('has compose version 1 and an engine that runs containers', async () => {
    expect((await ssh('old', 'docker compose version')).exitCode).not.toBe(0)
    expect((await ssh('old', 'docker-compose version --short')).stdout).toMatch(/^1\./)
    expect(await mustExec(lab.host('old'), 'docker run --rm ghcr.io/ggml-org/llama.cpp:server --version 2>&1')).toContain(
      'version',
    )
  })
})
