import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { until } from './model-server.ts'
import { expectExit, kindB, machine, openSite, type Site } from './site.ts'

/** Counted where it cannot be argued with: at the host's own sshd. */
describe.skipIf(noLab)('the cost of a look', () => {
  let lab: Lab
  let site: Site
  let box: LabHost

  beforeAll(async () => {
    lab = await startLab([{ name: 'box', kind: 'box' }])
    box = lab.host('box')
    site = await openSite(lab.sshConfigFile)
    await mustExec(box, 'echo LogLevel VERBOSE > /etc/ssh/sshd_config.d/verbose.conf && systemctl restart ssh')
    await site.write({ box: machine({ flagship: kindB() }) })
    expectExit(await site.run(['apply', '-y']), 0)
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it.each([['plan'], ['status'], ['facts']])(
    'of %s is one connection and one exec, a running service asked over HTTP included',
    async (verb) => {
      const since = await mustExec(box, 'date "+%Y-%m-%d %H:%M:%S.%N"')
      expectExit(await site.run([verb]), 0)
      const log = await until(
        () => mustExec(box, `journalctl --no-pager -o cat -u ssh --since '${since}'`),
        (text) => text.includes('Disconnected from'),
      )
      const count = (words: RegExp) => log.match(words)?.length ?? 0
      expect({
        connections: count(/^Connection from /gm),
        logins: count(/^Accepted publickey for op /gm),
        refusedKeys: count(/^Failed publickey /gm),
        sessions: count(/^Starting session: /gm),
      }).toEqual({ connections: 1, logins: 1, refusedKeys: 0, sessions: 1 })
    },
  )
})
