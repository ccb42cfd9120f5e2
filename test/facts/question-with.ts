import type { FactQuestion } from '../../src/facts/question.ts'

/** A question that asks for nothing but what is given. */
export function question(asked: Partial<FactQuestion> = {}): FactQuestion {
  return {
    host: 'nas',
    org: 'example',
    salt: '5a17',
    definitions: [],
    keyFiles: [],
    models: [],
    fetches: [],
    executables: [],
    programs: [],
    units: [],
    containers: [],
    images: [],
    engineVersion: false,
    disks: [],
    power: false,
    environment: [],
    http: [],
    ...asked,
  }
}
