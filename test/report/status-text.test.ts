import { expect, test } from 'vitest'
import { renderStatus, type ServiceStatus } from '../../src/report/status-text.ts'

test('no row of a status is wider than what can be seen of it', () => {
  const service: ServiceStatus = {
    host: 'nas',
    service: 'helper',
    kind: 'A',
    manager: 'compose',
    state: 'stopped',
    wanted: 'running',
    port: 9995,
    pid: null,
    warm: null,
    health: null,
    version: null,
    image: null,
    notes: [],
  }
  const lines = renderStatus(
    [service],
    Object.assign((_: readonly string[], text: string) => `<${text}>`, { given: {}, whole: String, hang: '' }),
  ).split('\n')
  expect(lines.filter((line) => /(?: |<>)$/.test(line))).toEqual([])
})
