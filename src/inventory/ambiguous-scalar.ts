/**
 * How a YAML 1.1 reader such as Ansible reads a plain scalar that YAML 1.2 reads differently; undefined if both agree.
 */
export function olderReading(raw: string): string | undefined {
  const lower = raw.toLowerCase()
  if (lower === 'yes' || lower === 'on') return 'true'
  if (lower === 'no' || lower === 'off') return 'false'
  if (/^[-+]?0[0-7]+$/u.test(raw)) return `${Number.parseInt(raw, 8)}, an octal number`
  if (/^[-+]?0[0-9]+$/u.test(raw)) return 'text'
  if (/^[-+]?0o[0-7]+$/u.test(raw)) return 'text'
  if (/^[-+]?[1-9][0-9]*(?:_[0-9_]*)$/u.test(raw)) return `${raw.replaceAll('_', '')}, a number`
  if (/^[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+$/u.test(raw)) return 'a number, counted in sixties'
  return undefined
}
