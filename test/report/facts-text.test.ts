import { expect, it } from 'vitest'
import { mapObserved } from '../../src/model/observed.ts'
import { renderFacts } from '../../src/report/facts-text.ts'
import { noPaint } from '../../src/report/paint.ts'
import { aHost, someFacts } from '../support/build.ts'

const unit = {
  loadState: 'loaded',
  activeState: 'active',
  subState: 'running',
  result: 'success',
  mainPid: 7,
  restarts: 0,
  needDaemonReload: false,
  unitFileState: 'enabled',
  fragmentPath: '',
  dropIns: [],
  execMainStatus: 0,
  execMainCode: 0,
} as const

it.each([
  [{}, ', 0 units of interest'],
  [{ 'coder.service': unit }, ', 1 unit of interest'],
  [{ 'coder.service': unit, 'writer.service': unit }, ', 2 units of interest'],
])('counts units as people do', (units, words) => {
  const facts = someFacts(aHost())
  const systemd = mapObserved(facts.systemd, (one) => ({ ...one, version: '257', units }))
  expect(renderFacts({ ...facts, systemd }, noPaint)).toContain(words)
})
