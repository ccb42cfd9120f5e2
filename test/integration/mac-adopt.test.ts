import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type ExpectStatic, it } from 'vitest'
import { launchctl } from '../../simulation/mac/launchctl.ts'
import { loadSchemas } from '../schemas/documents.ts'
import { agentOf, handMadeAgents, handMadeKeys, loadAgent } from './hand-made-agents.ts'
import { type Ended, type MacSite, openMac } from './mac-site.ts'

/** Enough for five servers at a time. */
const large = { machine: { memoryBytes: 128 * 1024 ** 3 } }

/** An apply that succeeds has seen that a second plan is empty. */
function actsOn(site: MacSite, expect: ExpectStatic) {
  return async (args: readonly string[], code = 0): Promise<Ended> => {
    const ended = await site.converge(...args)
    expect(ended.code, ended.output).toBe(code)
    for (const key of Object.values(handMadeKeys)) expect(ended.output).not.toContain(key)
    return ended
  }
}

/** The process of an agent, and each byte of its property list. */
async function stateOf(site: MacSite, label: string) {
  const { pid, runs } = await site.jobOf(label)
  const path = join(site.mac.home, `Library/LaunchAgents/${label}.plist`)
  const { mtimeMs, ino, mode } = await stat(path)
  return { pid, runs, mtimeMs, ino, mode, bytes: (await readFile(path)).toString('latin1') }
}

describe.concurrent('agents that a person wrote', { timeout: 240_000 }, () => {
  it('are adopted as they are, but for the one behind a shell; a changed field rewrites one alone', async ({ expect }) => {
    await using site = await openMac(12_400, large)
    const done = actsOn(site, expect)
    const labels = (await handMadeAgents(site)).map(({ label }) => label)
    const all = async () => Object.fromEntries(await Promise.all(labels.map(async (one) => [one, await stateOf(site, one)])))
    const inventory = () => readFile(join(site.folder, 'fleet.yaml'), 'utf8')
    await site.inventory({})
    const before = await all()
    const keys = join(site.folder, 'keys')

    // Without a folder for the keys, services refer to variables: one is set to another key, the others are not set.
    const keyless = (await done(['adopt'], 3)).stdout
    expect(keyless).toContain('does not have the API key of the inventory, but a different key')
    expect(keyless).toContain('CONVERGE_KEY_STUDIO_HOME is not set')
    const empty = await inventory()
    const { stdout: json } = await done(['adopt', '--key-file', keys, '--json'], 3)
    const isAdoption = loadSchemas()('adopt.schema.json')
    expect(isAdoption(JSON.parse(json)), JSON.stringify(isAdoption.errors)).toBe(true)
    expect(await inventory()).toBe(empty)
    expect(existsSync(keys)).toBe(false)

    const { stdout } = await done(['adopt', '--key-file', keys, '--write'], 3)
    expect(stdout).toContain('ADOPT.INEXPRESSIBLE  The inventory cannot express /bin/sh (it starts another program).')
    const written = await inventory()
    expect(written).toContain('label: dev.llm.qwen_2.5')
    expect(written).toContain('alias: Qwen 2.5')
    expect(written).not.toContain('wrapped')
    const stored = Object.entries(handMadeKeys).map(async ([name, key]) =>
      expect(await readFile(join(keys, `studio-${name}.key`), 'utf8')).toBe(`${key}\n`),
    )
    await Promise.all(stored)

    expect((await done(['apply', '-y'])).output).toContain('4 to change (4 adopt), 0 refused')
    expect(await all()).toEqual(before)
    const drift = await done(['drift'], 2)
    expect(drift.stdout).toContain('0 drifted, 0 pending, 1 foreign')

    // The refused one is found again, and is still left alone.
    const again = await done(['adopt', '--key-file', keys, '--write'], 3)
    expect(again.stdout).toContain('wrapped')
    expect(again.stdout).not.toContain('coder')
    expect(await inventory()).toBe(written)

    await writeFile(join(site.folder, 'fleet.yaml'), written.replace('ctx_size: 2048', 'ctx_size: 3072'))
    await done(['apply', '-y'])
    const after = await all()
    const { [qwen]: rewritten, ...others } = after
    expect(rewritten?.bytes).toContain('<!-- converge: managed com.example.qwen-2.5 -->')
    expect(rewritten?.pid).not.toBe(before[qwen]?.pid)
    expect((await site.jobOf(qwen)).arguments.join(' ')).toContain('--ctx-size 3072')
    expect(others).toEqual(Object.fromEntries(Object.entries(before).filter(([label]) => label !== qwen)))
    await done(['drift', '--fail-on', 'drift,pending,conflict'])
  })
})

const qwen = 'dev.llm.qwen_2.5'

describe.concurrent('an agent that cannot be adopted', { timeout: 240_000 }, () => {
  it('says why: Homebrew, a daemon, a file of another name, a disabled label, a child, a setting without a field', async ({
    expect,
  }) => {
    await using site = await openMac(12_410, large)
    const done = actsOn(site, expect)
    await site.inventory({})
    const { home } = site.mac
    await loadAgent(site, agentOf(site, 'homebrew.mxcl.llama.cpp', 0))
    await loadAgent(site, agentOf(site, 'local.renamed', 1), { file: 'my llama.plist' })
    await loadAgent(site, agentOf(site, 'local.disabled', 2))
    expect(await launchctl(site.mac.launchd, ['disable', 'gui/501/local.disabled'])).toEqual({ code: 0 })
    await loadAgent(site, agentOf(site, 'local.daemon', 3), { file: 'llama.plist', domain: 'system' })
    await loadAgent(site, agentOf(site, 'local.child', 4, { program: ['/bin/sh', '-c', '"$0" "$@"; exit 0'] }))
    await loadAgent(site, agentOf(site, 'local.nice', 5, { more: '<key>Nice</key><integer>5</integer>' }))
    // Loaded, and not running: there is no server to be found.
    const idle = agentOf(site, 'local.idle', 6, { more: '', runs: false })
    await loadAgent(site, idle)

    const { stdout } = await done(['adopt', '--write'], 3)
    const lines = stdout.split('\n').map((line) => line.trim())
    const reasonOf = (label: string) => lines[lines.findIndex((line) => line.includes(label)) + 1]
    expect(reasonOf('the agent homebrew.mxcl.llama.cpp')).toContain('it belongs to Homebrew')
    expect(reasonOf('the agent local.renamed')).toContain(`its property list is ${home}/Library/LaunchAgents/my llama.plist`)
    expect(reasonOf('the agent local.disabled')).toContain('its label is disabled')
    expect(reasonOf('the daemon local.daemon')).toContain('and that of a daemon is /Library/LaunchDaemons/local.daemon.plist')
    expect(reasonOf('the agent local.child')).toContain('its agent starts /bin/sh, which starts the server')
    expect(reasonOf('the agent local.nice')).toContain('cannot express Nice 5')
    expect(stdout).not.toContain('local.idle')
    expect(await readFile(join(site.folder, 'fleet.yaml'), 'utf8')).toContain('services: {}')
  })

  it('was edited after it was loaded, until someone chooses between the server and the file', async ({ expect }) => {
    await using site = await openMac(12_430)
    const done = actsOn(site, expect)
    await site.inventory({})
    const agent = agentOf(site, 'local.llama', 0)
    await loadAgent(site, agent)
    const path = join(site.mac.home, 'Library/LaunchAgents/local.llama.plist')
    await writeFile(
      path,
      agent.plist.replace('<string>1024</string>', '<string>3072</string><string>--temp</string><string>0.2</string>'),
    )
    const before = await stateOf(site, 'local.llama')
    const inventory = () => readFile(join(site.folder, 'fleet.yaml'), 'utf8')

    expect((await done(['adopt', '--write'], 3)).stdout).toContain('ADOPT.STALE_FILE')
    expect(await inventory()).toContain('services: {}')
    const running = (await done(['adopt', '--from', 'running'], 3)).stdout
    expect(running).toContain('ctx_size: 1024')
    expect(running).toContain('1 only by a restart')

    await done(['adopt', '--from', 'file', '--write'], 3)
    expect(await inventory()).toContain('ctx_size: 3072')
    expect(await inventory()).toMatch(/extra_args:\s+- --temp\s+- "0\.2"/)
    expect((await done(['apply', '-y'], 3)).output).toContain('DEFINITION.FOREIGN')
    expect(await stateOf(site, 'local.llama')).toEqual(before)

    await done(['apply', '-y', '--allow', 'DEFINITION.FOREIGN@llama', '--reason', 'the file is right'])
    const job = await site.jobOf('local.llama')
    expect(job.pid).not.toBe(before.pid)
    expect(job.arguments.join(' ')).toContain('--ctx-size 3072')
  })

  it('is unknown while launchd does not answer, or was restarted between the two looks', async ({ expect }) => {
    await using site = await openMac(12_420)
    const done = actsOn(site, expect)
    await site.inventory({})
    await loadAgent(site, agentOf(site, 'local.llama', 0))
    const { launchd } = site.mac
    launchd.settings.faults.push({ verb: 'print', code: 134, times: 1 })
    expect((await done(['adopt', '--write'], 3)).output).toContain('its job is unknown')

    const print = launchd.print.bind(launchd)
    let asked = 0
    // The survey asks for the job; by then the first look is over.
    launchd.print = async (domain, label) => {
      if (label === 'local.llama' && asked++ === 0) await launchd.kickstart(domain, label, true)
      return print(domain, label)
    }
    const { stdout } = await done(['adopt', '--write'], 3)
    expect(stdout).toContain('It ended or was restarted while converge looked at it.')
    expect(await readFile(join(site.folder, 'fleet.yaml'), 'utf8')).toContain('services: {}')
    await done(['adopt', '--write'])
    await done(['apply', '-y'])
    expect((await site.jobOf('local.llama')).runs).toBe(2)
  })
})
