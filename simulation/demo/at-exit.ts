/**
 * A second interrupt, or a terminal that is closed, ends this process where it stands, without waiting for anything: what has to be
 * done all the same is done here, at once. Dispose of it when there is nothing left to do.
 */
export function atExit(act: () => void): Disposable {
  const onHangUp = () => {
    act()
    process.kill(process.pid, 'SIGHUP')
  }
  process.once('exit', act)
  process.once('SIGHUP', onHangUp)
  return {
    [Symbol.dispose]: () => {
      process.off('exit', act)
      process.off('SIGHUP', onHangUp)
    },
  }
}
