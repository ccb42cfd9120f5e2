import type { Service } from '../model/fleet.ts'

/** Whether a server is started with a certificate. */
export function speaksTls({ extraArgs }: Pick<Service, 'extraArgs'>): boolean {
  return extraArgs.some((arg) => arg.startsWith('--ssl-cert-file'))
}
