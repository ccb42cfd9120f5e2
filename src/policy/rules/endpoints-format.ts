import { listEndpoints } from '../../endpoints/list-endpoints.ts'
import { unfitWords } from '../../endpoints/must-fit.ts'
import { endpointsField, filesOf } from '../../settings/endpoints-files.ts'
import type { Rule } from '../rule.ts'
import { fleetLine } from '../words.ts'

export const endpointsFormat: Rule = {
  code: 'ENDPOINTS.FORMAT',
  severity: 'refuse',
  title: 'The list of endpoints cannot hold a name.',
  explain:
    'The inventory wants a list of endpoints on a host (`fleet.endpoints`), and its format gives some characters another meaning: LiteLLM takes ' +
    '`*` for a pattern, Open WebUI splits its lists at semicolons, and Continue and llama-swap replace `${…}`. Clients would read another name, ' +
    'so the list stays as it is. Give the model another `alias`, or the list another format.',
  consentable: false,
  checkSetting({ fleet, host, changes }) {
    return filesOf(fleet, host).flatMap((file) => {
      if (!changes.some(({ field }) => field === endpointsField(file))) return []
      const { endpoints } = listEndpoints(fleet, { selects: () => true, on: host.name })
      const why = unfitWords(file.format, endpoints)
      if (why === undefined) return []
      return [
        {
          why: `${why} The format of ${file.path} on ${host.name} is ${file.format}.`,
          evidence: [fleetLine(fleet, ['endpoints'], `endpoints: ${file.path} on ${host.name}, format ${file.format}`)],
          next: ['Give the model another alias, or choose another format.'],
        },
      ]
    })
  },
}
