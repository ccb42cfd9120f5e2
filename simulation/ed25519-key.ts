import { generateKeyPairSync, randomBytes } from 'node:crypto'

/**
 * A new key pair without a passphrase as `ssh-keygen` writes it (PROTOCOL.key of OpenSSH), without a process for it. The generator of ssh2 does not serve:
 * of 38 pairs that it wrote, OpenSSH could not read one.
 */
export function newEd25519Key(comment: string): { readonly privateFile: string; readonly publicFile: string } {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const [point, seed] = [Buffer.from(x, 'base64url'), Buffer.from(d, 'base64url')]
  const type = 'ssh-ed25519'
  const blob = Buffer.concat([field(type), field(point)])
  const check = randomBytes(4)
  const secret = Buffer.concat([check, check, blob, field(Buffer.concat([seed, point])), field(comment)])
  const padding = Buffer.from(Array.from({ length: (8 - (secret.length % 8)) % 8 }, (_, index) => index + 1))
  const unencrypted = [field('none'), field('none'), field('')]
  const head = [Buffer.from('openssh-key-v1\0'), ...unencrypted, uint32(1), field(blob)]
  const whole = Buffer.concat([...head, field(Buffer.concat([secret, padding]))])
  const lines = whole.toString('base64').replaceAll(/.{70}(?=.)/g, '$&\n')
  return {
    privateFile: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`,
    publicFile: `${type} ${blob.toString('base64')} ${comment}\n`,
  }
}

function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([uint32(bytes.length), bytes])
}

function uint32(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}
