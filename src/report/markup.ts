import { htmlEscape } from 'escape-goat'

/** HTML that is ready to be put into a page; only `html` makes it, so that nothing else gets there unescaped. */
export class Markup {
  readonly text: string
  private constructor(text: string) {
    this.text = text
  }

  /** @param given what stands between the pieces: markup as it is, everything else escaped, lists one after another */
  static from(pieces: TemplateStringsArray, given: readonly Insertable[]): Markup {
    const [first = '', ...rest] = pieces
    return new Markup(rest.reduce((text, piece, index) => text + inserted(given[index] ?? '') + piece, first))
  }
}

export type Insertable = Markup | string | number | readonly Insertable[]

/** A tagged template: html`<p>${anything}</p>`. */
export function html(pieces: TemplateStringsArray, ...given: readonly Insertable[]): Markup {
  return Markup.from(pieces, given)
}

function inserted(value: Insertable): string {
  if (value instanceof Markup) return value.text
  if (typeof value === 'string' || typeof value === 'number') return htmlEscape(String(value))
  return value.map(inserted).join('')
}
