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
} as const satisfies Record<string, CatalogueEntry>
