import type { CatalogueEntry } from './entry.ts'

export const factsCodes = {
  'FACTS.GARBLED': {
    exit: 4,
    title: 'the host answered with something other than facts',
    explain:
      'converge gathers facts with one script that /bin/sh reads from its standard input. The script frames each of its answers. The output of ' +
      'the host has no frames, or stops before its end. The account may have a forced command or a restricted shell, a login script may print or ' +
      'wait for input, or the connection ended early. converge decides nothing on half an answer: the host counts as one that could not be ' +
      'compared, and the others continue. Run `ssh HOST "echo test | /bin/sh -c cat"`: it must print `test` and nothing else.',
  },
  'FACTS.SILENT': {
    exit: 4,
    title: 'the host did not send its facts in time',
    explain:
      'converge connected to the host, but received no facts before the timeout. A login script may wait for input, or the machine is very busy. ' +
      '`--timeout SECONDS` gives it more time. If only some facts are late (a dead network mount), converge uses the others, and the late ones ' +
      'are unknown. That does not raise this error.',
  },
  'FACTS.TOO_LARGE': {
    exit: 4,
    title: 'the plan for one host is too large',
    explain:
      'The commands of a plan contain names and paths that the host reports. A plan of more than 8 MiB for one host means that the host reports far too ' +
      'many of them, or far too long ones, or that it has hundreds of services: plan those in parts with `--service`. Nothing is planned for this host, ' +
      'and it counts as unreachable; other hosts are not affected.',
  },
  'FACTS.NO_FILE': {
    exit: 4,
    title: 'no facts snapshot for the host',
    explain:
      '`--facts DIR` reads the files that `converge facts --out DIR` wrote, one for each host. There is no readable file for this host, so its ' +
      'state is unknown. The host counts as unreachable, and the others continue. Gather its facts where it can be reached, or exclude it with ' +
      '`--limit`.',
  },
  'FACTS.DAMAGED': {
    exit: 4,
    title: 'a facts snapshot was changed or truncated',
    explain:
      'A file of `converge facts --out DIR` contains its own digest. Its content does not match the digest, or the file does not match its ' +
      'schema: it was edited, truncated in transfer, or merged. converge decides nothing on facts that may have been altered. Gather the facts ' +
      'again.',
  },
  'FACTS.OTHER_VERSION': {
    exit: 4,
    title: 'the facts were gathered by another version of converge',
    explain:
      'Another version asks hosts different questions and reads their answers differently. What it did not ask about would look missing. Gather ' +
      'the facts with the version that plans with them, or plan with the version that gathered them.',
  },
  'FACTS.OTHER_HOST': {
    exit: 4,
    title: 'the facts snapshot is of another host than the inventory describes',
    explain:
      'A facts snapshot records its host of the inventory, the address and account that converge used, and where converge keeps its files there. ' +
      'The inventory now says something else. The snapshot may be of another machine, or of another account that sees other things. Gather the ' +
      'facts again.',
  },
  'FACTS.OUTDATED': {
    exit: 4,
    title: 'the facts snapshot is too old',
    explain:
      '`--facts-max-age` limits the age of a facts snapshot. This one is older, or dated in the future. A host changes without converge: servers ' +
      'end, memory fills, people log in. Gather the facts again, or allow a greater age.',
  },
} as const satisfies Record<string, CatalogueEntry>
