import { readFile, writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { textDiff } from '../../src/lib/text-diff.ts'
import { changes } from './changes.ts'
import type { DemoFleet } from './fleet.ts'
import { corrections, hostFile, hostNames } from './inventory.ts'
import type { Stage } from './stage.ts'

/** The tour: every command is the real one, over SSH, on hosts that behave as real ones were seen to. */
export async function tellStory(fleet: DemoFleet, stage: Stage): Promise<void> {
  stage.heading('What is wanted')
  for (const host of hostNames) {
    const file = hostFile(fleet.inventory, host)
    stage.quote(`# ${relative(fleet.folder, file)}\n${await readFile(file, 'utf8')}`)
  }

  stage.heading('What would be done?')
  stage.say('Looks at every host over SSH and changes nothing. Two wishes are unsafe.')
  await stage.converge(['plan'], 3)

  stage.heading('Ask for what is possible')
  stage.say('One server on the small Mac, and the giant without its GPU. Then everything is done, and proved.')
  for (const { host, old, new: better } of corrections) {
    const file = hostFile(fleet.inventory, host)
    const before = await readFile(file, 'utf8')
    const after = before.replace(old, better)
    await writeFile(file, after)
    stage.quote(textDiff(relative(fleet.folder, file), before, after))
  }
  await stage.converge(['apply', '-y'], 0)

  stage.heading('And again?')
  stage.say('A second look finds nothing to do.')
  await stage.converge(['plan'], 0)

  stage.heading('Somebody changes something by hand')
  stage.say('A definition is edited on the Mac. What runs is as wanted, so the file is put right and nothing restarts.')
  const { host, command } = changes['edit-plist']
  await stage.byHand(host, command)
  await stage.converge(['plan', '--limit', 'mini'], 0)
  await stage.converge(['apply', '-y', '--limit', 'mini'], 0)
  await stage.converge(['plan'], 0)
}
