import { readFileSync } from 'node:fs'
import pLimit from 'p-limit'
import { Client } from 'ssh2'

/**
 * The least a controller can do with the same library: connect to every host and run one script, 32 hosts at a time.
 * Arguments: port, key file, script file, addresses.
 */
const [port, keyFile, scriptFile, ...addresses] = process.argv.slice(2)
const privateKey = readFileSync(keyFile ?? '')
const script = readFileSync(scriptFile ?? '')

async function connectAndRun(host: string): Promise<void> {
  const client = new Client()
  await new Promise<void>((resolve, reject) => {
    client.on('ready', () => {
      client.exec('/bin/sh -s', (error, channel) => {
        if (error !== undefined) return reject(error)
        channel.on('close', () => resolve()).resume()
        channel.stderr.resume()
        channel.end(script)
      })
    })
    client.on('error', reject)
    client.connect({ host, port: Number(port), username: 'root', privateKey, hostVerifier: () => true })
  })
  client.end()
}

const limit = pLimit(32)
await Promise.all(addresses.map((address) => limit(() => connectAndRun(address))))
