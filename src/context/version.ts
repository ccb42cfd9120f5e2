/** Equal to `package.json`; a test compares them. */
export const version = '0.1.0'

/** The day of its release, for its manual pages; until then, the day on which work on it began. */
export const versionDate = '2026-11-01'
