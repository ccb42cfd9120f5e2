import type { DaemonsFact } from '../model/launchd-fact.ts'
import { known, mapObserved, type Observed, unknown } from '../model/observed.ts'
import { type Fact, firstWords, readSection } from './fact.ts'
import { domainScript, readDomain, readWords } from './launchd-domain.ts'

/** Every account may read the domain of the system (launchctl(1)), its property lists, and whether FileVault is on. */
const macos = domainScript({
  domain: 'system',
  folder: '/Library/LaunchDaemons',
  folderName: 'LaunchDaemons',
  more: ['part filevault fdesetup status'],
})

/** The fleet's loaded daemons, and the labels that launchd has disabled in the domain of the system. */
export const daemons: Fact<Observed<DaemonsFact>> = {
  section: { name: 'daemons', sh: { macos }, apart: true },
  parse: (section, context) =>
    readSection(section, (text) =>
      mapObserved(readDomain(text, context, 'LaunchDaemons'), ({ find, ...jobs }) => {
        const said = readWords(find('filevault'), readFileVault)
        return { ...jobs, fileVault: said.known ? said.value : said }
      }),
    ),
}

/** `FileVault is On.`, perhaps with lines about users or about encryption in progress after it. */
function readFileVault(words: string): Observed<boolean> {
  const [, state] = /^FileVault is (On|Off)\b/m.exec(words) ?? []
  return state === undefined ? unknown('unreadable', firstWords(words)) : known(state === 'On')
}
