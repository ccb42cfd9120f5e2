import { assumedPlatform } from '../../inventory/defaults.ts'
import type { Finding, Rule, ServiceContext } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const managerUnsupported: Rule = {
  code: 'MANAGER.UNSUPPORTED',
  severity: 'refuse',
  title: 'The service cannot be managed this way.',
  explain:
    'The host does not have that manager: launchd needs macOS, compose needs Linux, and systemd needs a Linux host that has it as its init ' +
    'system. Set `manager` to one that the host has, or leave it out for the default.',
  consentable: false,
  checkService(context) {
    const { service, host, manager, facts } = context
    // If the inventory states no platform, HOST.PLATFORM_MISMATCH reports that instead.
    if (host.platform === undefined && facts.platform.known && facts.platform.value.os !== assumedPlatform) return []
    if (facts.platform.known && !manager.platforms.includes(facts.platform.value.os)) {
      return [unsupported(context, `${service.manager} does not exist on ${facts.platform.value.os}`)]
    }
    if (manager.isMissing(facts)) {
      return [unsupported(context, `${host.name} does not run ${service.manager}`)]
    }
    return []
  },
}

function unsupported({ service, host }: ServiceContext, because: string): Finding {
  return {
    why: `${service.manager} cannot manage ${service.name} on ${host.name}: ${because}.`,
    evidence: [inventoryLine(service, ['manager'], `${service.name}: manager ${service.manager}`)],
    next: ['Choose another manager, or manage the service by hand for now.'],
  }
}
