import type { Service } from './service.ts'
import type { Systemd } from './systemd.ts'

const subStates: Readonly<Partial<Record<Service['state'], string>>> = { dead: 'dead', failed: 'failed' }

/** The properties that `systemctl show` prints of a unit, as far as they are simulated. */
export function propertiesOf(systemd: Systemd, name: string): Readonly<Record<string, string>> {
  const service = systemd.service(name)
  const { unit, main, execMain } = service
  return {
    Restart: unit.restart,
    MainPID: String(main?.pid ?? 0),
    NRestarts: String(service.restarts),
    Result: service.result,
    ExecMainPID: String(main?.pid ?? 0),
    ExecMainCode: String(execMain.code),
    ExecMainStatus: String(execMain.status),
    Id: name,
    Names: name,
    Description: unit.description,
    LoadState: unit.loadState,
    ActiveState: service.activeState,
    SubState: subStates[service.state] ?? service.state,
    FragmentPath: unit.fragmentPath,
    DropInPaths: unit.dropIns.join(' '),
    UnitFileState: systemd.unitFileState(name),
    StateChangeTimestampMonotonic: String(sinceBoot(service.changedAt, systemd.host.bootedAt)),
    NeedDaemonReload: systemd.needsReload(service) ? 'yes' : 'no',
  }
}

/** Microseconds, of the clock that starts at the boot. */
function sinceBoot(at: number, bootedAt: number): number {
  return at === 0 ? 0 : (at - bootedAt) * 1000
}
