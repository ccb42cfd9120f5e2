/**
 * Whether an SSH server may close a session, or the whole connection, when one is opened while the command of another one ends.
 *
 * Dropbear 2022.82 to 2024.85 does: when any command of a connection ends, it closes each channel that was opened and has not been given its
 * command yet. Where the command then arrives all the same, it is started; once it prints something or ends before the client's own close has
 * arrived, `send_msg_channel_data` of `common-channel.c` ends the connection (`Failed assertion … !channel->sent_close`). Between opening and
 * command there is a whole round trip, so the slower the network the likelier it is. https://github.com/mkj/dropbear/issues/321 and 258;
 * put right in 2024.86 by https://github.com/mkj/dropbear/pull/326. Before 2022.82 `sesscheckclose` took no channel without a command for
 * one that is over. Forwarded ports have no process that could end.
 *
 * @param software what the server calls itself: of `SSH-2.0-dropbear_2022.83` what follows the second dash (RFC 4253, 4.2). OpenWrt's says no
 *   version, as any build may from 2024.86 on; undefined: it is not known
 */
export function mixesUpSessions(software: string | undefined): boolean {
  const [name, version] = /^dropbear(?:_(\d+\.\d+))?/.exec(software ?? '') ?? []
  if (name === undefined) return false
  return version === undefined || (Number(version) >= 2022.82 && Number(version) <= 2024.85)
}
