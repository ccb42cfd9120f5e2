/**
 * Whether an SSH server may close a session, or the whole connection, if a session is opened while the command of another one ends.
 *
 * Dropbear 2022.82 to 2024.85 does: when any command of a connection ends, it closes each channel that was opened but has no command yet. If
 * the command then arrives, it is started; once it prints something or ends before the client's own close has arrived,
 * `send_msg_channel_data` of `common-channel.c` ends the connection (`Failed assertion … !channel->sent_close`). Between opening and command
 * there is a whole round trip, so slow networks make it likely. https://github.com/mkj/dropbear/issues/321 and 258; fixed in 2024.86 by
 * https://github.com/mkj/dropbear/pull/326. Before 2022.82 `sesscheckclose` did not treat a channel without a command as finished. Forwarded
 * ports have no process that could end.
 *
 * @param software the server's software version: what follows the second dash of `SSH-2.0-dropbear_2022.83` (RFC 4253, 4.2). OpenWrt's has no
 *   version, and from 2024.86 on any build may omit it; undefined: unknown
 */
export function mixesUpSessions(software: string | undefined): boolean {
  const [name, version] = /^dropbear(?:_(\d+\.\d+))?/.exec(software ?? '') ?? []
  if (name === undefined) return false
  return version === undefined || (Number(version) >= 2022.82 && Number(version) <= 2024.85)
}
