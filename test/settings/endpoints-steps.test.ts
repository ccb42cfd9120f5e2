import { expect, it } from 'vitest'
import { stepsText } from '../managers/steps-text.ts'
import { settingsGroup } from './given-settings.ts'

it.each(['endpoints-file', 'endpoints-file-edited', 'endpoints-file-in-a-home'])(
  'the steps of %s write the list where nothing else lies, and can be undone',
  async (name) => {
    await expect(stepsText(settingsGroup(name))).toMatchFileSnapshot(`../fixtures/settings/${name}.expected`)
  },
)
