/** Flags whose value is a secret, with or without `=value`. */
export const secretFlag = /^--?(?:[\w-]*[-_])?(?:api[-_]key|token|password|secret)(?<value>=.*)?$/isu

/** Variables whose value is a secret. */
export const secretVariable = /(?:^|_)(?:API_?KEY|TOKEN|PASSWORD|SECRET)$/iu

/** A flag and its value in one word, which no shell splits. */
export const flagWithValue = /^(--?[A-Za-z][\w-]*)\s+(.*)$/su
