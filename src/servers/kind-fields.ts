/** Fields of the inventory for servers of one kind. */
export interface KindFields {
  /** Fields that only some kinds have, as in the schema of the inventory. */
  readonly own: Readonly<Record<string, FieldSchema>>
  /** Flags that duplicate a field. In `extra_args` they would override the field without the rules noticing. */
  readonly flags: Readonly<Record<string, string>>
  /** Flags that duplicate a field but are harmless in `extra_args`, because the rules know them. */
  readonly harmlessFlags: Readonly<Record<string, string>>
  /** Variables that duplicate a field, by `env_prefix`. */
  variables(prefix: string): Readonly<Record<string, string>>
  /** Prefix of variables that stand for flags; absent: there are none. */
  readonly flagVariables?: string
}

/** JSON Schema of one field. Its references (`#/$defs/text`) point into `schemas/inventory.schema.json`. */
export interface FieldSchema {
  readonly title: string
  /** Follows `Kind A: `. */
  readonly description: string
  readonly [keyword: string]: unknown
}
