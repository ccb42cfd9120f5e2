import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const folder = join(import.meta.dirname, 'integration')

/** Ports of simulated hosts are this machine's, and files of tests run side by side. */
it('no two files of tests on simulated hosts have a port in common', () => {
  const taken = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      const ports = [...text.matchAll(/(?:openMac|openLinuxBox)\((1\d_\d{3})|\b(?:port|firstPort)(?: =|:) (1\d_\d{3})/g)]
      return [...new Set(ports.map((found) => found[1] ?? found[2] ?? ''))].map((port) => ({ port, file }))
    })
  const shared = [...Map.groupBy(taken, ({ port }) => port)].filter(([, files]) => files.length > 1)
  expect(shared).toEqual([])
  expect(taken.length).toBeGreaterThan(40)
})
