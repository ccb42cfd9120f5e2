import { readFile, writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { textDiff } from '../../src/lib/text-diff.ts'
import { changes } from './changes.ts'
import type { DemoFleet } from './fleet.ts'
import { corrections, hostFile, hostNames } from './inventory.ts'
import type { Stage } from './stage.ts'

/** The tour: every command is the real one, over SSH, on hosts that behave as real ones were observed to. */
export async function playTour(fleet: DemoFleet, stage: Stage): Promise<void> {
  stage.heading('The inventory')
  for (const host of hostNames) {
    const file = hostFile(fleet.inventory, host)
    stage.quote(`# ${relative(fleet.folder, file)}\n${await readFile(file, 'utf8')}`)
  }

  stage.heading('Plan the changes')
  stage.say('converge gathers facts over SSH and changes nothing. It refuses two unsafe changes.')
  await stage.converge(['plan'], 3)

  stage.heading('Correct the inventory, and apply')
  stage.say(
    'Run one server on the small Mac, and keep the giant model off the GPU. Then apply, and test each server with a chat.',
  )
  for (const { host, old, new: better } of corrections) {
    const file = hostFile(fleet.inventory, host)
    const before = await readFile(file, 'utf8')
    const after = before.replace(old, better)
    await writeFile(file, after)
    stage.quote(textDiff(relative(fleet.folder, file), before, after))
  }
  await stage.converge(['apply', '-y'], 0)

  stage.heading('Plan again')
  stage.say('Every host is in the desired state.')
  await stage.converge(['plan'], 0)

  stage.heading('Detect a change made by hand')
  stage.say(
    'A person edits a definition on the Mac. The running server is as desired, so converge restores the file and restarts nothing.',
  )
  const { host, command } = changes['edit-plist']
  await stage.byHand(host, command)
  await stage.converge(['plan', '--limit', 'mini'], 0)
  await stage.converge(['apply', '-y', '--limit', 'mini'], 0)
  await stage.converge(['plan'], 0)
}
