/** What the inventory may say of servers of one kind. */
export interface KindFields {
  /** Fields that not all kinds have, as the schema of the inventory is to have them. */
  readonly own: Readonly<Record<string, FieldSchema>>
  /** Flags that say what a field says. Among `extra_args` they would win over the field, unseen by the rules that judge it. */
  readonly flags: Readonly<Record<string, string>>
  /** Flags that come from a field, and do no harm among `extra_args`: the rules know them. */
  readonly harmlessFlags: Readonly<Record<string, string>>
  /** Variables that say what a field says, by `env_prefix`. */
  variables(prefix: string): Readonly<Record<string, string>>
  /** What begins the variables that stand for flags; absent: none do. */
  readonly flagVariables?: string
}

/** JSON Schema of one field. What it refers to (`#/$defs/text`) stands in `schemas/inventory.schema.json`. */
export interface FieldSchema {
  readonly title: string
  /** Goes on behind `Kind A: `. */
  readonly description: string
  readonly [keyword: string]: unknown
}
