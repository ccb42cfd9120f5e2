/**
 * Whether text without a comma is one address or host range, and so must not be split at its colons. These are the rules of
 * Ansible 2.14's `ansible/parsing/utils/addresses.py` with ranges allowed, reproduced exactly (even its IPv6 rule, which accepts a prefix): one name
 * in Ansible must not become two here.
 */
export function isHostAddress(text: string): boolean {
  const address = withoutPort(text)
  return ipv4.test(address) || ipv6.test(address) || hostname.test(address)
}

/** Whether it can only be an IPv6 address, which must not be split. */
export function isIpv6Address(text: string): boolean {
  return ipv6.test(text) && !text.includes(',')
}

function withoutPort(text: string): string {
  const inner = bracketedPort.exec(text)?.[1] ?? text
  return plainPort.exec(inner)?.[1] ?? inner
}

const bracketedPort = /^\[(.+)\]:[0-9]+$/
const plainPort = /^((?:[^:[\]]|\[[^\]]*\])*):[0-9]+$/

const octet = String.raw`(?:[01]?[0-9]{1,2}|2[0-4][0-9]|25[0-5]|\[[0-9]+:[0-9]+(?::[0-9]+)?\])`
const ipv4 = new RegExp(`^(?:${octet}\\.){3}${octet}$`, 'u')

const word = String.raw`(?:[0-9a-f]{1,4}|\[[0-9a-f]+:[0-9a-f]+(?::[0-9]+)?\])`
const ipv6 = new RegExp(
  [
    `^(?:${word}:){7}${word}`,
    `^(?:${word}:){1,6}:`,
    ...[1, 2, 3, 4, 5, 6].map((left) => `^(?:${word}:){${left}}(?::${word}){1,${7 - left}}`),
    `^:(?::${word}){1,6}`,
    `^${word}?::`,
    `^(?:0:){6}(?:${word}\\.){3}${word}`,
    `^::(?:ffff:)?(?:${word}\\.){3}${word}`,
    `^(?:0:){5}ffff:(?:${word}\\.){3}${word}$`,
  ].join('|'),
  'iu',
)

const range = String.raw`\[(?:[a-z]:[a-z]|[0-9]+:[0-9]+)(?::[0-9]+)?\]`
const wordChar = String.raw`\p{L}\p{N}_`
const label = `(?:[${wordChar}]|${range})(?:[${wordChar}-]|${range})*(?<![_-])`
const hostname = new RegExp(`^${label}(?:\\.${label})*$`, 'iu')
