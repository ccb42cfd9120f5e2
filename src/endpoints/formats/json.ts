import { defined } from '../../lib/defined.ts'
import { visibleInJson } from '../../lib/visible-text.ts'
import { type PlainTree, type SecretTree, writeClosed } from '../../managers/closed-secrets.ts'
import type { SecretText } from '../../model/secret.ts'
import type { Endpoint } from '../endpoint.ts'
import type { EndpointFormat } from './endpoint-format.ts'

/** For scripts and clients of one's own. JSON has no comments, so these are a field. */
export const json: EndpointFormat = {
  shared: 'each is in the list',
  advice: [],
  unfit: () => undefined,
  write(endpoints, head): SecretText {
    const about = head.length === 0 ? {} : { $comment: head.join(' ') }
    const document = { ...about, schema: 'converge/endpoints/v1', endpoints: endpoints.map(entryOf) }
    return writeClosed(document, {
      write: textOf,
      secret: (key) => key.rewritten((value) => textOf(value).trimEnd().slice(1, -1)),
    })
  },
}

function textOf(tree: PlainTree): string {
  return `${visibleInJson(JSON.stringify(tree, null, 2))}\n`
}

function entryOf({ service, host, model, baseUrl, key }: Endpoint): SecretTree {
  return {
    service,
    host,
    model,
    base_url: baseUrl,
    ...(key === undefined ? {} : { key: { variable: key.variable, ...defined({ file: key.file, value: key.value }) } }),
  }
}
