/** The fleet cannot be started here; the message says what is missing. */
export class NoDemo extends Error {}
