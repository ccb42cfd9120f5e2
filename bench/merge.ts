import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measure } from './measure.ts'
import { writeParts } from './parts.ts'

/** `converge report merge` of the plans of a large fleet, in every format. Arguments: parts, hosts of each. */
const [parts = 100, hosts = 1000] = process.argv.slice(2).map(Number)
const scratch = mkdtempSync(join(tmpdir(), 'converge-bench-'))

try {
  const files = writeParts(join(scratch, 'parts'), { parts, hosts })
  for (const format of ['text', 'json', 'ndjson', 'html', 'markdown', 'junit', 'sarif', 'prometheus']) {
    const words = ['dist/main.js', 'report', 'merge', ...files, '--format', format]
    const { wall, cpu, memory } = await measure({ words: [process.execPath, ...words] })
    console.log(JSON.stringify({ format, parts, hosts: parts * hosts, wall_s: wall, cpu_s: cpu, memory_mib: memory / 2 ** 20 }))
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
