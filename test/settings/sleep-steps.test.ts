import { describe, expect, it } from 'vitest'
import { scriptsOf, stepsText } from '../managers/steps-text.ts'
import { settingsGroup } from './given-settings.ts'

describe('the steps that set sleep timers', () => {
  it('name each source of power as it was, for the rollback', async () => {
    await expect(stepsText(settingsGroup('sleep-timers'))).toMatchFileSnapshot('../fixtures/settings/sleep-steps.expected')
  })

  it('are made of these scripts', async () => {
    const distinct = new Map(scriptsOf(settingsGroup('sleep-timers')).map(([label, script]) => [script, label]))
    const text = [...distinct].map(([script, label]) => `# ${label}\n${script}\n`).join('\n')
    await expect(text).toMatchFileSnapshot('../fixtures/settings/scripts.expected')
  })
})
