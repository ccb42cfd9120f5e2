import { defined } from '../lib/defined.ts'
import type { ContainerEngine, ContainersFact } from '../model/facts.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { complaint, type Fact, type FactContext, firstWords, linesOf, type Section, saysOnly, strangeLine } from './fact.ts'
import { inspectTemplate } from './inspect-template.ts'
import { wordsByName } from './last-output.ts'
import { readContainers } from './read-containers.ts'

/**
 * The docker client is slow to start (a large Go program), so independent queries run in parallel. One `inspect` covers all containers;
 * its argument lines pass the redactor before they leave the host.
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
  if number=$(limit_last 10 "$docker" compose version --short 2>/dev/null); then
    printf 'compose plugin %s\\n' "$number"
    return
  fi
  IFS=:
  for folder in \${docker%/*}:$PATH; do
    if [ -x "$folder/docker-compose" ] && [ ! -d "$folder/docker-compose" ]; then
      unset IFS
      number=$(limit_last 10 "$folder/docker-compose" version --short 2>/dev/null) || continue
      printf 'compose %s %s\\n' "$folder/docker-compose" "$number"
      return
    fi
  done
  unset IFS
}
image() {
  answer_of 10 "$docker" image inspect --format '{{.Id}}{{range .RepoDigests}} {{.}}{{end}}' "$1"
  if [ "$status" = 0 ]; then
    printf 'present yes %s\\n' "$1"
    id=\${words%% *}
    case \${id#sha256:} in '' | *[!0-9a-f]*) return ;; esac
    printf 'imageid %s %s\\n' "$id" "$1"
    for digest in \${words#"$id"}; do
      case $digest in *@sha256:*) printf 'imagedigest %s %s\\n' "\${digest##*@}" "$1" ;; esac
    done
    return
  fi
  case $words in *[Nn]'o such image'*) printf 'present no %s\\n' "$1" ;; esac
}
# idle WORDS: the usual socket does not answer, and no process of root is an engine or keeps a container for one (containers outlive
# their engine). Engines of other accounts publish ports with a process that listens.
idle() {
  case $1 in
  *'annot connect to the Docker daemon at unix:///var/run/docker.sock'*) ;;
  *'ailed to connect to the docker API at unix:///var/run/docker.sock'*) ;;
  *) return 1 ;;
  esac
    # Excludes macOS and hosts that hide processes of other accounts.
  if [ ! -r /proc/1/comm ] || [ ! -r /proc/1/cmdline ]; then return 1; fi
  for file in /proc/[0-9]*/comm; do
    read -r name 2>/dev/null <"$file" || continue
    case $name in
    *dockerd* | containerd-shim* | docker-contain* | podman* | conmon* | balena*)
      case $(stat -c %u "\${file%/comm}") in '' | 0) return 1 ;; esac
      ;;
    esac
  done
}
engine() { number=$(limit_last 10 "$docker" version --format '{{.Server.Version}}' 2>/dev/null) && echo "version $number"; }
compose &
for asked in "$@"; do
  case $asked in
  image=*) image "\${asked#image=}" & ;;
  engine=*) engine & ;;
  esac
done
answer_of 10 "$docker" ps -aq --no-trunc
wait
if [ "$status" != 0 ]; then
  printf '%s\\n' "$words" >&2
  if idle "$words"; then echo idle; fi
  return "$status"
fi
ids=$words
if [ -z "$ids" ]; then
    # An empty list is believed only of an engine that reports its version as well.
  engine
  return 0
fi
for id in $ids; do echo listed; done
# shellcheck disable=SC2086 # ids are hexadecimal
described=$(limit_last 20 "$docker" inspect --type container --format '${inspectTemplate}' $ids)
for asked in "$@"; do
  case $asked in org=*) org=\${asked#org=} ;; esac
done
printf '%s\\n' "$described" | awk -v org="\${org-}" '
  /^l / && index($2, "\\"com.docker.compose.") != 1 && index($2, "\\"converge") != 1 && index($2, "\\"com." org ".") != 1 { next }
'"$redactor"
troubled=
case $described in *"
state restarting "* | *"
health unhealthy"*)
  troubled=$(printf '%s\\n' "$described" | awk '
    /^id / { id = $2; bad = 0 }
    /^state restarting / || /^health unhealthy/ { bad = 1 }
    bad && /^l "converge.managed" / { print id; bad = 0 }' | head -n 5)
  ;;
esac
for id in $troubled; do
  printf 'last %s\\n' "$id"
  limit_last 5 "$docker" logs --tail 6 "$id" 2>&1 | log_end
done
`

/** Containers of the host's Docker engine, wherever its client is installed. */
export const containers: Fact<Observed<ContainersFact>> = {
  section: { name: 'containers', sh: { linux: anywhere, macos: anywhere }, apart: true },
  parse: readSectionOfEngine,
}

const shape =
  /^(idle|last [0-9a-f]{12,64}|\|.*|engine (none|\/.*)|compose .+|version \S.*|present (yes|no) .+|imageid (sha256:)?[0-9a-f]+ .+|imagedigest sha256:[0-9a-f]+ .+|listed|id [0-9a-f]{12,64}|(name|image|restart|j) ".*"|made (sha256:)?[0-9a-f]*|state [a-z]+ -?\d+ (true|false) \d+ \d+ \S.*|health [a-z]*|grace (null|\d+|<no value>)|entrypoint|command|bind (true|false) "[^"\\]*(?:\\.[^"\\]*)*" "[^"\\]*(?:\\.[^"\\]*)*"|port \d+(-\d+)?\/[a-z]+ ".*"|l "[^"\\]*(?:\\.[^"\\]*)*" "[^"\\]*(?:\\.[^"\\]*)*")$|^$/

/**
 * No engine is a known answer. An engine that does not answer or denies access is unknown, with its own message; one that is not running may
 * still have containers, so they are unknown too.
 */
function readSectionOfEngine(section: Observed<Section>, { question }: FactContext): Observed<ContainersFact> {
  if (!section.known) return section
  const { status, text, stderr } = section.value
  const lines = linesOf(text)
  const path = valueOf(lines, 'engine')
  const strange = status === 0 ? strangeLine(lines, shape) : undefined
  if (strange !== undefined) return strange
  if (saysOnly(lines, 'engine none') && status === 0)
    return known({ engine: null, containers: [], images: Object.fromEntries(question.images.map((image) => [image, false])) })
  if (lines.includes('idle')) return unknown('not-running', firstWords(stderr))
  if (path === undefined || status !== 0) return engineComplaint(section.value)
  if (path === 'none') return unknown('unreadable', 'the host lists containers but no engine')
  const isProved = lines.includes('listed') && !question.engineVersion
  return readEngine(path, lines, { stderr, isProved })
}

function readEngine(
  path: string,
  lines: readonly string[],
  { stderr, isProved }: Pick<Section, 'stderr'> & { readonly isProved: boolean },
): Observed<ContainersFact> {
  if (!isProved && valueOf(lines, 'version') === undefined)
    return unknown('unreadable', `${path} does not report the version of its engine`)
  const seen = readContainers(lines, wordsByName(lines, 'last'))
  if (!seen.known) return seen
  const listed = lines.filter((line) => line === 'listed').length
  if (seen.value.length + goneSince(stderr) < listed || seen.value.length > listed)
    return unknown('unreadable', firstWords(stderr) ?? `docker described ${seen.value.length} of ${listed} containers`)
  return known({
    engine: engineOf(path, lines),
    containers: seen.value,
    images: imagesIn(lines),
    ...imageIdsIn(lines),
    ...imageDigestsIn(lines),
  })
}

function engineComplaint(section: Section): Observed<ContainersFact> {
  return /cannot connect|is the docker daemon running/i.test(section.stderr)
    ? unknown('unreadable', firstWords(section.stderr))
    : complaint(section)
}

/** Containers that vanished between the listing and `inspect` are no error. */
function goneSince(stderr: string): number {
  return linesOf(stderr).filter((line) => /no such (container|object)/i.test(line)).length
}

function engineOf(path: string, lines: readonly string[]): ContainerEngine {
  const [how, words = ''] = (valueOf(lines, 'compose') ?? '').split(' ')
  const argv = how === 'plugin' ? [path, 'compose'] : how === undefined || how === '' ? undefined : [how]
  return {
    path,
    ...defined({ version: valueOf(lines, 'version') }),
    compose:
      argv === undefined
        ? unknown('no-such-tool', 'neither the compose plugin nor docker-compose is installed')
        : known({ argv, version: words.replace(/^v/, '') }),
  }
}

function imagesIn(lines: readonly string[]): Readonly<Record<string, boolean>> {
  const rows = lines.filter((line) => line.startsWith('present ')).map((line) => line.split(' '))
  return Object.fromEntries(rows.map(([, answer, name = '']) => [name, answer === 'yes']))
}

/** Some engines prefix the digest with its algorithm, others do not. */
function imageIdsIn(lines: readonly string[]): Pick<ContainersFact, 'imageIds'> {
  const ids = lines.flatMap((line): [string, string][] => {
    const [, id, name] = /^imageid (?:sha256:)?([0-9a-f]{64}) (.+)$/.exec(line) ?? []
    return id === undefined || name === undefined ? [] : [[name, id]]
  })
  return ids.length === 0 ? {} : { imageIds: Object.fromEntries(ids) }
}

/** Of the manifests that the images were pulled by; one that was built or loaded has none. */
function imageDigestsIn(lines: readonly string[]): Pick<ContainersFact, 'imageDigests'> {
  const digests = lines.flatMap((line): [string, string][] => {
    const [, digest, name] = /^imagedigest (sha256:[0-9a-f]{64}) (.+)$/.exec(line) ?? []
    return digest === undefined || name === undefined ? [] : [[name, digest]]
  })
  if (digests.length === 0) return {}
  const byName = Map.groupBy(digests, ([name]) => name)
  return { imageDigests: Object.fromEntries([...byName].map(([name, all]) => [name, all.map(([, digest]) => digest)])) }
}

function valueOf(lines: readonly string[], tag: string): string | undefined {
  return lines.find((line) => line.startsWith(`${tag} `))?.slice(tag.length + 1)
}
