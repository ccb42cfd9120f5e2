import type { ContainerEngine, ContainersFact } from '../model/facts.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { complaint, type Fact, type FactContext, firstWords, linesOf, type Section } from './fact.ts'
import { inspectTemplate } from './inspect-template.ts'
import { readContainers } from './read-containers.ts'

/**
 * The client is slow to start (a large Go program), so what does not depend on another answer is asked at the same time. One
 * `inspect` for all containers; its lines of arguments pass the redactor before they leave the host.
 */
const anywhere = `
docker=
IFS=:
for folder in $PATH; do
  if [ -x "$folder/docker" ] && [ ! -d "$folder/docker" ]; then
    docker=$folder/docker
    break
  fi
done
unset IFS
if [ -z "$docker" ]; then
  echo 'engine none'
  return 0
fi
printf 'engine %s\\n' "$docker"
compose() {
  if words=$(limit 10 "$docker" compose version --short 2>/dev/null); then
    printf 'compose plugin %s\\n' "$words"
    return
  fi
  IFS=:
  for folder in \${docker%/*}:$PATH; do
    if [ -x "$folder/docker-compose" ] && [ ! -d "$folder/docker-compose" ]; then
      unset IFS
      words=$(limit 10 "$folder/docker-compose" version --short 2>/dev/null) || continue
      printf 'compose %s %s\\n' "$folder/docker-compose" "$words"
      return
    fi
  done
  unset IFS
}
image() {
  if words=$(limit 10 "$docker" image inspect --format '{{.Id}}' "$1" 2>&1); then
    printf 'present yes %s\\n' "$1"
  else
    case $words in *[Nn]'o such image'*) printf 'present no %s\\n' "$1" ;; esac
  fi
}
compose &
{ words=$(limit 10 "$docker" version --format '{{.Server.Version}}' 2>/dev/null) && printf 'version %s\\n' "$words"; } &
for asked in "$@"; do
  case $asked in image=*) image "\${asked#image=}" & ;; esac
done
ids=$(limit 10 "$docker" ps -aq --no-trunc)
status=$?
wait
if [ "$status" != 0 ]; then return "$status"; fi
if [ -z "$ids" ]; then return 0; fi
for id in $ids; do echo 'listed'; done
# shellcheck disable=SC2086 # ids are hexadecimal
limit 20 "$docker" inspect --type container --format '${inspectTemplate}' $ids | awk -v org="$(for asked in "$@"; do
  case $asked in (org=*) printf %s "\${asked#org=}" ;; esac
done)" '
  /^l / && index($2, "\\"com.docker.compose.") != 1 && index($2, "\\"converge") != 1 && index($2, "\\"com." org ".") != 1 { next }
  { print }' | awk "$redactor"
`

/** Containers of the host's Docker engine, wherever its client lies. */
export const containers: Fact<Observed<ContainersFact>> = {
  section: { name: 'containers', sh: { linux: anywhere, macos: anywhere }, apart: true },
  parse: readSectionOfEngine,
}

/** No engine is a known answer; one that does not answer or lets us not in is unknown, with its own words. */
function readSectionOfEngine(section: Observed<Section>, { question }: FactContext): Observed<ContainersFact> {
  if (!section.known) return section
  const { status, text, stderr } = section.value
  const lines = linesOf(text)
  const path = valueOf(lines, 'engine')
  if (path === 'none')
    return known({ engine: null, containers: [], images: Object.fromEntries(question.images.map((image) => [image, false])) })
  if (path === undefined || status !== 0) return engineComplaint(section.value)
  const version = valueOf(lines, 'version')
  if (version === undefined) return unknown('unreadable', `${path} does not tell the version of its engine`)
  const seen = readContainers(lines)
  if (!seen.known) return seen
  const listed = lines.filter((line) => line === 'listed').length
  if (seen.value.length + goneSince(stderr) < listed)
    return unknown('unreadable', firstWords(stderr) ?? `docker described ${seen.value.length} of ${listed} containers`)
  return known({ engine: engineOf(path, version, lines), containers: seen.value, images: imagesIn(lines) })
}

function engineComplaint(section: Section): Observed<ContainersFact> {
  return /cannot connect|is the docker daemon running/i.test(section.stderr)
    ? unknown('unreadable', firstWords(section.stderr))
    : complaint(section)
}

/** A container that went away between the list and the look at it is no trouble. */
function goneSince(stderr: string): number {
  return linesOf(stderr).filter((line) => /no such (container|object)/i.test(line)).length
}

function engineOf(path: string, version: string, lines: readonly string[]): ContainerEngine {
  const [how, words = ''] = (valueOf(lines, 'compose') ?? '').split(' ')
  const argv = how === 'plugin' ? [path, 'compose'] : how === undefined || how === '' ? undefined : [how]
  return {
    path,
    version,
    compose:
      argv === undefined
        ? unknown('no-such-tool', 'neither the compose plugin nor docker-compose')
        : known({ argv, version: words.replace(/^v/, '') }),
  }
}

function imagesIn(lines: readonly string[]): Readonly<Record<string, boolean>> {
  const rows = lines.filter((line) => line.startsWith('present ')).map((line) => line.split(' '))
  return Object.fromEntries(rows.map(([, answer, name = '']) => [name, answer === 'yes']))
}

function valueOf(lines: readonly string[], tag: string): string | undefined {
  return lines.find((line) => line.startsWith(`${tag} `))?.slice(tag.length + 1)
}
