import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { inventoryText } from './fleet.ts'
import { type Measured, measure } from './measure.ts'
import { mebibytes, table } from './table.ts'

/** `converge plan` over hosts that an SSH server with a canned answer stands for, in one process: whether time and memory grow no faster than they do. */
const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [400, 1000, 10_000]
const titles = ['hosts', 'wall', 'CPU', 'CPU per host', 'memory', 'memory per host']
const rows: string[][] = []

for (const count of counts) {
  const { wall, cpu, memory } = await planOf(count)
  const perHost = [`${((cpu / count) * 1000).toFixed(1)} ms`, mebibytes(memory), `${(memory / count / 1024).toFixed(0)} KiB`]
  rows.push([count.toLocaleString('en'), `${wall.toFixed(1)} s`, `${cpu.toFixed(1)} s`, ...perHost])
}
console.log(table(titles, rows))

async function planOf(count: number): Promise<Measured> {
  const scratch = mkdtempSync(join(tmpdir(), 'converge-bench-'))
  const server = spawn(process.execPath, [new URL('./canned-server.ts', import.meta.url).pathname, String(count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const [line] = await once(createInterface(server.stdout), 'line')
    const files = JSON.parse(String(line))
    const inventory = join(scratch, 'inventory.yaml')
    writeFileSync(inventory, inventoryText(files, ['coder', 'writer']))
    const words = ['dist/main.js', 'plan', '-i', inventory, '--ssh-config', files.sshConfig, '--json']
    // Its exit code: the models are missing, so the plan refuses.
    return await measure({ words: [process.execPath, ...words], env: { CONVERGE_STATE_DIR: join(scratch, 'state') }, exit: 3 })
  } finally {
    server.stdin.end()
    await once(server, 'exit')
    rmSync(scratch, { recursive: true, force: true })
  }
}
