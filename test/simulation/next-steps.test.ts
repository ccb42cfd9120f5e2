import { expect, test } from 'vitest'
import { elsewhere, nextSteps } from '../../simulation/demo/next-steps.ts'
import { forms } from '../../src/model/version-document.ts'

test.for(forms)('what the demo of %s names is there', (form) => {
  const text = nextSteps(form)
  const start = form === 'checkout' ? /^(npx converge [-a-z]+|inventories\/home) / : /^converge [-a-z]+ /
  const lines = text.trimEnd().split('\n')
  expect(lines.filter((line) => !start.test(line) || line.length > 80)).toEqual([])
  expect(elsewhere(form).includes('docker')).toBe(form === 'container')
})
