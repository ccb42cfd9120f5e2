/**
 * Masks what looks like a key in the output of a host: the redactor does not know keys of earlier runs, and a failing program may print its whole
 * environment.
 */
export function maskKeys(text: string): string {
  return text
    .replace(/\b([A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD)=)("(?:\\.|[^"\\])*"|'[^']*'|\S+)/g, '$1***')
    .replace(/(--api-key(?:[= ]|['"], ?))("(?:\\.|[^"\\])*"|'[^']*'|\S+)/g, '$1***')
    .replace(named, '$1***')
    .replace(/(\bBearer )\S+/gi, '$1***')
    .replace(/(:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g, '$1***')
    .replace(/([?&](?:key|token)=)[^&\s"'<]+/gi, '$1***')
    .replace(/(hf_)[A-Za-z0-9]{16,}/gi, '$1***')
    .replace(/(authorization["']?\s*[:=]\s*["']?basic\s+)[^\s"',;<]+/gi, '$1***')
}

/** The notations of YAML, JSON and logs: `api_key: …`, `"api_key":"…"`, `password = …`. */
const named =
  /(\b[\w-]*(?:api[_-]?key|secret(?:[_-]?key)?|password|passwd|passphrase|(?:access|auth|hf)[_-]?token)["']?\s*[:=]\s*)("(?:\\.|[^"\\])*"|'[^']*'|[^\s,;{}[\]]+)/gi
