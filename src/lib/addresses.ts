/** Whether a server bound there is reachable from other machines. */
export function isExposed(address: string): boolean {
  const bare = plain(address)
  return bare !== 'localhost' && bare !== '::1' && !bare.startsWith('127.')
}

/** Whether a server bound there listens on all addresses of its host. */
export function isEveryAddress(address: string): boolean {
  return ['', '*', '0.0.0.0', '::'].includes(plain(address))
}

/** Whether two listeners on one port conflict. `::` counts as dual-stack, which is the default. */
export function addressesOverlap(a: string, b: string): boolean {
  const [one, other] = [plain(a), plain(b)]
  if (one === other) return true
  if (one === '' || one === '*' || one === '::') return true
  if (other === '' || other === '*' || other === '::') return true
  if (one === '0.0.0.0') return !other.includes(':')
  if (other === '0.0.0.0') return !one.includes(':')
  // A name can resolve to any address of the host.
  return isName(one) || isName(other)
}

/** Without brackets, zone (`127.0.0.53%lo`) and the IPv4-in-IPv6 prefix. */
function plain(address: string): string {
  return address
    .replace(/^\[|\]$/g, '')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.)/i, '')
}

function isName(address: string): boolean {
  return !address.includes(':') && !/^[\d.]+$/.test(address)
}
