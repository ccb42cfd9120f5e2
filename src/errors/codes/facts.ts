import type { CatalogueEntry } from './entry.ts'

export const factsCodes = {
  'FACTS.GARBLED': {
    exit: 4,
    title: 'the host answered with something else than facts',
    explain:
      'converge looks at a host with one script that /bin/sh reads from its standard input, and each answer of that script is framed. ' +
      'What came back has no frames, or stops before its end. The account may have a forced command or a restricted shell, a login ' +
      'script may print or wait for input, or the connection ended early. Nothing is decided on half an answer: the host counts as ' +
      'one that could not be compared, the others go on. Try `ssh HOST "echo test | /bin/sh -c cat"`: it must print `test` and nothing else.',
  },
  'FACTS.SILENT': {
    exit: 4,
    title: 'the host did not answer the probe in time',
    explain:
      'The connection was made, but the host told nothing about itself before the time was over. A login script may wait for input, or ' +
      'the machine is very busy. `--timeout SECONDS` gives it more time. When only a part is late (a dead network mount), the rest of ' +
      'the facts is used and what is missing is unknown, which does not end in this error.',
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
    title: 'no facts of the host are kept',
    explain:
      '`--facts DIR` reads what `converge facts --out DIR` wrote, a file for each host. For this host there is none that can be read, so ' +
      'nothing is known of it: it counts as one that could not be reached, and the others go on. Gather its facts where it can be reached, or leave it out with `--limit`.',
  },
  'FACTS.DAMAGED': {
    exit: 4,
    title: 'a facts snapshot was changed or truncated',
    explain:
      'What `converge facts --out DIR` writes carries a digest of itself. Content and digest do not belong together, or the file is not what its ' +
      'schema says: it was edited, cut off on its way, or merged. Nothing is decided on facts that somebody may have made up. Gather them anew.',
  },
  'FACTS.OTHER_VERSION': {
    exit: 4,
    title: 'the facts were gathered by another version of converge',
    explain:
      'Another version asks hosts other questions and reads their answers otherwise: what it did not ask about would look as if it were not there. ' +
      'Gather the facts with the version that is to plan with them, or plan with the version that gathered them.',
  },
  'FACTS.OTHER_HOST': {
    exit: 4,
    title: 'the facts are of another host than the inventory means',
    explain:
      'A facts snapshot says for which host of the inventory it was gathered, how that host was reached and as whom, and where converge keeps its ' +
      'files there. The inventory says otherwise now: it may be another machine, or another account that sees other things. Gather the facts anew.',
  },
  'FACTS.OUTDATED': {
    exit: 4,
    title: 'the facts snapshot is too old',
    explain:
      '`--facts-max-age` limits the age of a facts snapshot. This one is older, or dated in the future. ' +
      'A host changes by itself: servers end, memory fills, people log in. Gather the facts anew, or allow more.',
  },
} as const satisfies Record<string, CatalogueEntry>
