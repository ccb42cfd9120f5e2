import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { noPaint } from '../../src/report/paint.ts'
import { entryDocument, explainSchedule, renderSchedule } from '../../src/report/schedule-text.ts'
import { nearestIntervals } from '../../src/schedulers/cron-times.ts'
import { schedulers } from '../../src/schedulers/index.ts'
import type { Account, ScheduledJob, ScheduleName } from '../../src/schedulers/job.ts'
import { jobWith, op, root } from './job-with.ts'

const fixtures = join(import.meta.dirname, '../fixtures/schedulers')

interface Case {
  readonly scheduler: ScheduleName
  readonly job: ScheduledJob
  readonly account: Account
}

const odd = {
  name: 'plan-night',
  verb: 'plan',
  args: ['--inventory', "/home/op/our fleet's", '--limit', 'a b', '--reason', '100% "sure" $HOME `x` \\ !', 'site.yaml'],
  cwd: '/home/op/50% here',
  folder: "/home/op/it's 50%/schedule/plan-night",
  secrets: [],
  jitterS: 0,
}

const fetching = {
  name: 'fetch',
  verb: 'fetch',
  args: ['--detach', '--inventory', '/home/op/fleet'],
  folder: '/home/op/.local/state/converge/schedule/fetch',
  secrets: ['HF_TOKEN'],
}

const evening = {
  name: 'evening',
  verb: 'use',
  everyS: 86_400,
  atS: 22 * 3600,
  args: ['--inventory', '/home/op/fleet', 'writing', '--until', '07:00', '-y'],
  folder: '/home/op/.local/state/converge/schedule/evening',
  jitterS: 0,
}

/** The file that each is printed into. */
const cases: Readonly<Record<string, Case>> = {
  cron: { scheduler: 'cron', job: jobWith(), account: op },
  'cron-odd-words': { scheduler: 'cron', job: jobWith(odd), account: op },
  systemd: { scheduler: 'systemd', job: jobWith(), account: op },
  'systemd-root-every-7h': { scheduler: 'systemd', job: jobWith({ everyS: 7 * 3600 }), account: root },
  'systemd-odd-words': { scheduler: 'systemd', job: jobWith({ ...odd, everyS: 900 }), account: op },
  'systemd-fetch': { scheduler: 'systemd', job: jobWith(fetching), account: op },
  'cron-use': { scheduler: 'cron', job: jobWith(evening), account: op },
  'systemd-use': { scheduler: 'systemd', job: jobWith(evening), account: op },
  'launchd-use': { scheduler: 'launchd', job: jobWith(evening), account: { ...op, uid: 501 } },
  launchd: { scheduler: 'launchd', job: jobWith(), account: { ...op, uid: 501 } },
}

describe('an entry in a few lines', () => {
  it.each(Object.entries(cases))('%s', async (name, { scheduler, job, account }) => {
    const document = entryDocument(schedulers[scheduler].entry(job, account), 'printed', [])
    const next = { install: 'converge schedule … --install …', print: 'converge schedule … --print …' }
    const text = explainSchedule(document, job, next, noPaint)
    expect(text.split('\n').length).toBeLessThan(14)
    await expect(text).toMatchFileSnapshot(join(fixtures, `${name}.explained.txt`))
  })
})

describe('an entry as it is printed', () => {
  it.each(Object.entries(cases))('%s', async (name, { scheduler, job, account }) => {
    const document = entryDocument(schedulers[scheduler].entry(job, account), 'printed', [])
    await expect(renderSchedule(document)).toMatchFileSnapshot(join(fixtures, `${name}.txt`))
  })

  it('consists of the files that are removed again', () => {
    for (const { scheduler, job, account } of Object.values(cases)) {
      const { entry, files } = schedulers[scheduler]
      expect(entry(job, account).files.map(({ path }) => path)).toEqual(files(job.name, job.folder, account))
    }
  })
})

const inCron = (everyS: number) => schedulers.cron.entry(jobWith({ everyS }), op).crontab?.split('\n')[1]?.split(' /')[0]
const inSystemd = (everyS: number) => schedulers.systemd.entry(jobWith({ everyS }), op).files[1]?.content ?? ''

describe('intervals', () => {
  const minute = 60
  const hour = 3600
  const day = 24 * hour

  it.each([
    [5 * minute, '*/5 * * * *', '*-*-* *:0/5:00'],
    [30 * minute, '*/30 * * * *', '*-*-* *:0/30:00'],
    [hour, '0 * * * *', '*-*-* *:00:00'],
    [6 * hour, '0 */6 * * *', '*-*-* 0/6:00:00'],
    [day, '0 0 * * *', '*-*-* 00:00:00'],
    [7 * day, '0 0 * * 0', 'Sun *-*-* 00:00:00'],
  ])('%d seconds are exact in a crontab and a calendar', (everyS, cron, calendar) => {
    expect(inCron(everyS)).toBe(cron)
    expect(inSystemd(everyS)).toContain(`OnCalendar=${calendar}\nPersistent=true\n`)
  })

  it.each([
    [7 * minute, [6 * minute, 10 * minute], '7m'],
    [45 * minute, [30 * minute, hour], '45m'],
    [90 * minute, [hour, 2 * hour], '1h30m'],
    [7 * hour, [6 * hour, 8 * hour], '7h'],
    [2 * day, [day, 7 * day], '2d'],
    [301, [5 * minute, 6 * minute], '5m1s'],
  ])('%d seconds are refused by cron with the nearest, and taken by systemd', (everyS, nearest, span) => {
    expect(nearestIntervals(everyS)).toEqual(nearest)
    expect(() => inCron(everyS)).toThrow(/USAGE.SCHEDULE/)
    expect(inSystemd(everyS)).toContain(`OnUnitActiveSec=${span}\n`)
  })
})
