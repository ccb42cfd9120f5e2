/** The text of `converge explain CODE` for an error, and its exit code. */
export interface CatalogueEntry {
  readonly exit: 1 | 3 | 4 | 5 | 6 | 7 | 8 | 64 | 65 | 130
  /** A few words, easy to recognise. */
  readonly title: string
  /** Full sentences: what the error means, why it matters, what to do. */
  readonly explain: string
}
