import type { LaunchdFact } from '../model/launchd-fact.ts'
import { mapObserved, type Observed } from '../model/observed.ts'
import { type Fact, readSection } from './fact.ts'
import { domainScript, readDomain, readWords } from './launchd-domain.ts'

/**
 * Agents of the login account are in its gui domain, whichever session the probe runs in; `list` would search the probe's own session and
 * miss them.
 */
const macos = domainScript({
  domain: 'gui/${SUDO_UID:-$uid}',
  folder: '"$home/Library/LaunchAgents"',
  folderName: 'LaunchAgents',
  more: ['part manager launchctl managername'],
})

/** The fleet's loaded agents, and the labels that launchd has disabled. */
export const launchd: Fact<Observed<LaunchdFact>> = {
  section: { name: 'launchd', sh: { macos }, apart: true },
  parse: (section, context) =>
    readSection(section, (text) =>
      mapObserved(readDomain(text, context, 'LaunchAgents'), ({ find, ...jobs }) => ({
        ...jobs,
        managerName: readWords(find('manager'), (words) => words.trim()),
      })),
    ),
}
