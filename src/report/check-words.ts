import type { SmokeCheck } from '../model/report.ts'

/** The checks of a smoke test as people read them; documents have their names. */
export const checkWords: Readonly<Record<SmokeCheck['name'], string>> = {
  'co-run': 'co-run allowed',
  health: 'health',
  models: 'model listed',
  key: 'key required',
  completion: 'chat',
  embedding: 'embedding',
  rerank: 'rerank',
  speed: 'as fast as before',
  'port-owner': 'owns its port',
  client: 'client',
}
