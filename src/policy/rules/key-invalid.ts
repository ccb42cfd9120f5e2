import { shell } from '../../lib/next-command.ts'
import { serverKinds } from '../../servers/index.ts'
import type { KeyFault } from '../../servers/server-kind.ts'
import type { Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const keyInvalid: Rule = {
  code: 'KEY.INVALID',
  severity: 'refuse',
  title: 'The server cannot use this key.',
  explain:
    'A Kind A server splits its key at commas, reads one key per line and skips lines that begin with `#`. An empty key protects nothing. One ' +
    'side keeps blanks at either end of a key, and the other drops them. A Kind B server whose key is not plain ASCII drops every request ' +
    'without an answer. Clients send `Authorization: Bearer <key>`, so the word Bearer is not part of the key. A key of fewer than 4 characters ' +
    'is quickly guessed. Masking it in logs and plans also masks parts of other words, or misses it. Make a new key, for example with `openssl ' +
    'rand -hex 32`. The refusal never shows the key.',
  consentable: false,
  checkService({ service, key }) {
    if (key?.known !== true || service.state === 'absent') return []
    const ofKind = serverKinds[service.kind].keyFaults ?? []
    const fault = [...faults, ...ofKind].find(({ pattern }) => key.value.matches(pattern))
    if (fault === undefined) return []
    return [
      {
        mayStillStop: true,
        why: `The key of ${service.name} on ${service.host} (from ${key.value.origin}) ${fault.words}.`,
        evidence: [inventoryLine(service, ['api_key'], `${service.name}: api_key from ${key.value.origin}`)],
        next: [shell('openssl rand -hex 32', { say: 'Make a new key, put it where the inventory points, and plan again:' })],
      },
    ]
  },
}

const faults: readonly KeyFault[] = [
  { pattern: /^\s*$/, words: 'is empty, which would leave the server open' },
  { pattern: /[\r\n]/, words: 'has more than one line, and each line would be a separate key' },
  { pattern: /^\s|\s$/, words: 'begins or ends with a blank, which only one side would drop' },
  { pattern: /\p{Cc}/u, words: 'contains a control character, which HTTP headers do not allow' },
  { pattern: /\P{ASCII}/u, words: 'is not plain ASCII, and clients and servers encode that differently' },
  {
    pattern: /^.{1,3}$/,
    words: 'is shorter than 4 characters: it is quickly guessed, and masking it would also mask other words',
  },
  { pattern: /^bearer\s/i, words: 'begins with the word Bearer, which clients add themselves' },
]
