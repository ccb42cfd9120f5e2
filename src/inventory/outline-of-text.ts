/** A map that is not in braces and has no anchor, which `<<` could refer to. */
const opensServices = /^ *services: *(?:#.*)?\r?$/u

/** A variable with a value in the same line, without quotes. */
const isSetting = /^ *[a-z]\w*: +[\w./~-][\w ./~@-]*\r?$/u

/**
 * A YAML text without most of what does not matter for names: the settings of services, and variables with simple values. They are most of an
 * inventory, and parsing takes as long as the text is. The rest need not be YAML any more: a brace or a quote may have been closed in a
 * line that was left out.
 */
export function outlineOfText(text: string): string {
  const kept: string[] = []
  let services = -1
  let names = -1
  for (const line of text.split('\n')) {
    const indent = line.search(/[^ \r]/u)
    if (indent >= 0 && indent <= services) services = -1
    if (services < 0) {
      if (!isSetting.test(line)) kept.push(line)
      if (opensServices.test(line)) [services, names] = [indent, -1]
    } else if (indent >= 0 && (names < 0 || indent <= names)) {
      if (names < 0 && line[indent] !== '#') names = indent
      kept.push(line)
    }
  }
  return kept.join('\n')
}
