/**
 * Takes out what looks like a key in something that a host said: the key of an earlier run is not known to the redactor, and a
 * program may print its whole environment when it fails.
 */
export function maskKeys(text: string): string {
  return text
    .replace(/\b([A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD)=)("(?:\\.|[^"\\])*"|'[^']*'|\S+)/g, '$1***')
    .replace(/(--api-key(?:[= ]|['"], ?))("(?:\\.|[^"\\])*"|'[^']*'|\S+)/g, '$1***')
    .replace(named, '$1***')
    .replace(/(\bBearer )\S+/gi, '$1***')
    .replace(/(:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g, '$1***')
}

/** As YAML, JSON and logs write it: `api_key: …`, `"api_key":"…"`, `password = …`. */
const named =
  /(\b[\w-]*(?:api[_-]?key|secret(?:[_-]?key)?|password|passwd|passphrase|(?:access|auth|hf)[_-]?token)["']?\s*[:=]\s*)("(?:\\.|[^"\\])*"|'[^']*'|[^\s,;{}[\]]+)/gi
