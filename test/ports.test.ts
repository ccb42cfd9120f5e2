import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const folders = ['integration', 'packaging'].map((name) => join(import.meta.dirname, name))

/** Ports of simulated hosts are this machine's, and files of tests run side by side. */
it('no two files of tests on simulated hosts have a port in common', () => {
  const taken = folders
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8')
      const ports = [...text.matchAll(/(?:openMac|openLinuxBox)\((1\d_\d{3})|\b(?:port|firstPort)(?: =|:) (1\d_\d{3})/g)]
      return [...new Set(ports.map((found) => found[1] ?? found[2] ?? ''))].map((port) => ({ port, file }))
    })
  const shared = [...Map.groupBy(taken, ({ port }) => port)].filter(([, files]) => files.length > 1)
  expect(shared).toEqual([])
  expect(taken.length).toBeGreaterThan(40)
})
