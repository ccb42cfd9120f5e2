import { isOfMacs } from '../../managers/traits.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const modelExternalVolume: Rule = {
  code: 'MODEL.EXTERNAL_VOLUME',
  severity: 'refuse',
  title: 'A macOS background service would read its model from an external volume.',
  explain:
    'On macOS, a background service may not list or open files under /Volumes unless a user granted that to this very binary. An update of the ' +
    'binary loses the grant. The server then fails with EPERM, or hangs without a message. A check over SSH shows nothing, because sshd has its ' +
    "own grant. Keep the model on the internal disk, or mount a network share under the user's home. A daemon (`domain: system`) has one more " +
    'problem: macOS mounts external volumes and the network shares of an account when a person logs in, and the daemon starts before that. Approve ' +
    'it (`--allow`) if you know that the grant exists, and for a daemon that the volume is there at boot.',
  consentable: true,
  checkInventory({ service }) {
    if (!isOfMacs(service.manager) || !/^\/Volumes(\/|$)/.test(service.model.path)) return []
    const isDaemon = service.domain === 'system'
    const what = isDaemon ? 'daemon' : 'agent'
    const late = isDaemon ? ', and which it mounts only when a person logs in' : ''
    return [
      {
        why: `${service.name} on ${service.host} is a launchd ${what}, but its model ${service.model.path} is under /Volumes, which macOS closes to background services${late}.`,
        evidence: [inventoryLine(service, ['model', 'path'], `${service.name}: model.path ${service.model.path}`)],
        next: [
          isDaemon
            ? 'Move the model to the internal disk, for example to /Users/Shared/models.'
            : "Move the model to the internal disk, or mount the share under the user's home (for example ~/mnt/models) and give its absolute path.",
        ],
      },
    ]
  },
}
