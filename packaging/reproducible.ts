import { execa } from 'execa'
import { root } from './paths.ts'

/** Seconds since 1970 for all times in a package, so that two builds are equal: `SOURCE_DATE_EPOCH`, or the time of the commit. */
export async function sourceDate(given = process.env['SOURCE_DATE_EPOCH']): Promise<number> {
  const text = given ?? (await execa('git', ['log', '-1', '--format=%ct'], { cwd: root })).stdout
  if (!/^\d+$/.test(text)) throw new Error(`SOURCE_DATE_EPOCH=${text} is no number of seconds`)
  return Number(text)
}

/** Options of GNU tar. */
export const sameEverywhere = (date: number) => ['--sort=name', `--mtime=@${date}`, '--owner=0', '--group=0', '--numeric-owner']
