import { type LabHost, mustExec } from '../host.ts'

/** The next container that compose starts freezes (`frozen`): it never gets ready, and does not end. */
export async function freezeNext(host: LabHost, container: string): Promise<void> {
  const engine = `#!/bin/sh
/usr/bin/docker "$@"
code=$?
case "$*" in
  *" up -d "*) if [ -e /run/freeze ]; then rm /run/freeze; kill -STOP "$(/usr/bin/docker inspect -f '{{.State.Pid}}' ${container})"; : >/run/frozen; fi ;;
esac
exit $code`
  await mustExec(host, `cat >/usr/local/bin/docker && chmod +x /usr/local/bin/docker`, { stdin: engine })
  await mustExec(host, 'rm -f /run/frozen; touch /run/freeze')
}

export async function isFrozen(host: LabHost): Promise<boolean> {
  return (await mustExec(host, 'ls /run/frozen 2>/dev/null || :')) === '/run/frozen'
}
