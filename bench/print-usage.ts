import { writeFileSync } from 'node:fs'

/** Loaded before the measured program (`node --import`): leaves what it used in the file that `BENCH_USAGE` names. */
process.on('exit', () => {
  const file = process.env['BENCH_USAGE']
  if (file !== undefined) writeFileSync(file, JSON.stringify(process.resourceUsage()))
})
