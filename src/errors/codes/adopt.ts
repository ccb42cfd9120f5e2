import type { CatalogueEntry } from './entry.ts'

export const adoptCodes = {
  'RELEASE.UNWRITABLE': {
    exit: 65,
    title: 'the inventory cannot be edited for this service alone',
    explain:
      '`converge release` writes `state: unmanaged` where the inventory defines the service. A service of a group is defined once for several hosts, and a definition with aliases or templates cannot be edited without changing more. Nothing was changed. Write the state into the variables of the host yourself: services merge by name and key.',
  },
  'ADOPT.UNCLEAR': {
    exit: 3,
    title: 'a server may belong to a service of the inventory',
    explain:
      'The state of a service of the inventory is unknown, for example because its supervisor did not answer. So a server that seems to belong to no service may be that one. Adopting it would describe one server twice. `converge plan` shows what is unknown, and why.',
  },
  'ADOPT.DIFFERS': {
    exit: 3,
    title: 'the running server differs from the service that would describe it',
    explain:
      '`converge adopt` writes a service that describes a running server, and plans it. The plan may contain nothing but its adoption. Here a setting of the running server is not the one that the service would have, so the next apply would restart it. The server was left out.',
  },
  'ADOPT.STALE_FILE': {
    exit: 3,
    title: 'the definition would start another server than the one that runs',
    explain:
      'The unit, property list or compose file was changed after the server had started. The next start, at the latest after a reboot, would run another server than now. converge cannot know which of the two is meant. Correct the definition, or restart the server, then run `converge adopt` again. Or choose: `--from running` describes the server, `--from file` the definition.',
  },
  'ADOPT.INEXPRESSIBLE': {
    exit: 3,
    title: 'the definition has a setting that the inventory cannot express',
    explain:
      'converge would lose this setting when it next writes the definition. A server that is described only in part is worse than one that is not adopted: it would fail at its next restart, perhaps at night. Under systemd, move the setting into a drop-in (`UNIT.d/*.conf`), which converge leaves alone.',
  },
  'ADOPT.UNMANAGEABLE': {
    exit: 3,
    title: 'converge does not manage servers of this kind',
    explain:
      'Another tool starts this server, or converge has no manager for what runs it: Homebrew services, units of a user, templates of units, daemons of the system, servers of Ollama or LM Studio. Two tools that own one server would undo the changes of each other.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>
