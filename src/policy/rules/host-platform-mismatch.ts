import { assumedPlatform } from '../../inventory/defaults.ts'
import type { PlatformFact } from '../../model/facts.ts'
import type { Host } from '../../model/fleet.ts'
import type { Finding, Rule } from '../rule.ts'
import { factUnknown, inventoryLine } from '../words.ts'

export const hostPlatformMismatch: Rule = {
  code: 'HOST.PLATFORM_MISMATCH',
  severity: 'refuse',
  title: 'The host does not match the inventory.',
  explain:
    'The inventory states another platform than the one found. The address may lead to the wrong machine, and converge does nothing on a wrong ' +
    'machine. Correct `platform` or the address. If the inventory states no platform, converge assumes linux. What follows from that (the ' +
    'manager of a service, its context size) is wrong on a Mac.',
  consentable: false,
  checkService({ host, facts }) {
    if (!facts.platform.known) {
      const words = { host: host.name, decision: 'whether this is the right machine' }
      return [{ ...factUnknown('The platform', facts.platform, words), wholeHost: true }]
    }
    const found = facts.platform.value
    if (host.platform === undefined && found.os !== assumedPlatform) return [platformMissing(host, found)]
    if (host.platform === undefined || host.platform === found.os) return []
    return [
      {
        wholeHost: true,
        why: `The inventory says that ${host.name} runs ${host.platform}, but the machine at ${host.connection.address} runs ${found.os} (${found.hostname}).`,
        evidence: [
          inventoryLine(host, ['platform'], `${host.name}: platform ${host.platform}`),
          `found: ${found.os}, ${found.kernel}, host name ${found.hostname}`,
        ],
        next: [`Correct platform or ansible_host of ${host.name}.`],
      },
    ]
  },
}

function platformMissing(host: Host, found: PlatformFact): Finding {
  return {
    wholeHost: true,
    why: `The inventory states no platform for ${host.name}, so converge assumes ${assumedPlatform}. The machine runs ${found.os}.`,
    evidence: [
      inventoryLine(host, ['platform'], `${host.name}: no platform`),
      `found: ${found.os}, ${found.kernel}, host name ${found.hostname}`,
    ],
    next: [`Set platform: ${found.os} for ${host.name}.`],
  }
}
