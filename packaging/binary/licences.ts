import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundledLicences, nodePackage, readBuilt } from '../paths.ts'
import { installNode } from './install-node.ts'

/** The licences of what the single binary contains besides converge: the packages in the bundle, Node, and what Node contains. */
export async function licenceText(): Promise<string> {
  await installNode()
  const packages = await readBuilt(bundledLicences, (path) => readFile(path, 'utf8'))
  const node = await readFile(join(nodePackage, 'LICENSE'), 'utf8')
  return `${packages}\nNode.js\n=======\n\n${node}`
}
