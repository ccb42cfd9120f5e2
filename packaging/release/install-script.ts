/**
 * The install script with the address of its release in it.
 *
 * @throws Error if the script has no place for it, or if the address is none
 */
export function filledScript(template: string, address: string): string {
  if (!/^https:\/\/[\w./+~-]+$/.test(address)) throw new Error(`${address} is nothing to write into install.sh`)
  const filled = template.replace(/^released=$/m, `released=${address}`)
  if (filled === template) throw new Error('install.sh has no line "released="')
  return filled
}
