import { Command } from '@commander-js/extra-typings'
import { expect, test } from 'vitest'
import { actingOf, withActing } from '../../src/cli/options.ts'

test.for(['-y', '--confirm', '--yes'])('%s skips the confirmation prompt', (option) => {
  const command = withActing(new Command().exitOverride())
  expect(actingOf(command.parse([option], { from: 'user' }).opts())).toEqual({ confirmed: true })
})

test('without it, converge asks', () => {
  expect(actingOf(withActing(new Command()).parse([], { from: 'user' }).opts())).toEqual({ confirmed: false })
})
