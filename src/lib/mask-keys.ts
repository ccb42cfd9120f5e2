/**
 * Takes out what looks like a key in something that a host said: the key of an earlier run is not known to the redactor, and a
 * program may print its whole environment when it fails.
 */
export function maskKeys(text: string): string {
  return text
    .replace(/\b([A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD)=)("(?:\\.|[^"\\])*"|'[^']*'|\S+)/g, '$1***')
    .replace(/(--api-key[= ])("(?:\\.|[^"\\])*"|'[^']*'|\S+)/g, '$1***')
    .replace(/(\bBearer )\S+/gi, '$1***')
}
