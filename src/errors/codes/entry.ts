/** What `converge explain CODE` says about an error, and how the program ends with it. */
export interface CatalogueEntry {
  readonly exit: 1 | 3 | 4 | 5 | 6 | 7 | 8 | 64 | 65 | 130
  /** A few words, learnable by sight. */
  readonly title: string
  /** Full sentences: what it means, why it matters, what to do. */
  readonly explain: string
}
