import { htmlEscape } from 'escape-goat'

/** HTML that is ready for a page. Only `html` makes it, so that everything else is escaped. */
export class Markup {
  readonly text: string
  private constructor(text: string) {
    this.text = text
  }

  /** @param given the values between the pieces: markup as it is, lists in their order, and everything else escaped */
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
