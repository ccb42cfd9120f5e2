import type { HostName } from './inventory.ts'

/** A change on a host without converge, for trying how converge reports it. */
export interface Change {
  readonly host: HostName
  /** Typed on the host. */
  readonly command: string
  /** What is different afterwards. */
  readonly effect: string
}

export const changes = {
  'edit-plist': {
    host: 'mini',
    command: 'cd ~/Library/LaunchAgents && grep -q 16384 *.coder.plist && sed -i.old s/16384/8192/ *.coder.plist && rm *.old',
    effect: 'the definition of coder has half the context size; the running server keeps the old one',
  },
  'unload-agent': {
    host: 'mini',
    command: 'launchctl bootout gui/501/com.example.coder',
    effect: 'coder is down and not loaded in launchd',
  },
  'lose-key': {
    host: 'mini',
    command: 'rm ~/.config/converge/keys/coder.key',
    effect: 'the key file of coder is deleted; the running server has already read it',
  },
  'stop-unit': {
    host: 'box',
    command: 'sudo systemctl stop flagship',
    effect: 'flagship is down, and must warm up again',
  },
  'edit-unit': {
    host: 'box',
    command:
      "cd /etc/systemd/system && grep -q 16384 flagship.service && sed -i 's/16384/32768/' flagship.service && sudo systemctl daemon-reload",
    effect: 'the unit of flagship has twice the context size; the running server keeps the old one',
  },
} as const satisfies Readonly<Record<string, Change>>

export type ChangeName = keyof typeof changes

export function isChange(name: string): name is ChangeName {
  return Object.hasOwn(changes, name)
}
