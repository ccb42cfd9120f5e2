import type { Rule } from './rule.ts'
import { accountMissing } from './rules/account-missing.ts'
import { accountNoAccess } from './rules/account-no-access.ts'
import { adoptNeedsRestart } from './rules/adopt-needs-restart.ts'
import { bootCorun } from './rules/boot-corun.ts'
import { bootFilevault } from './rules/boot-filevault.ts'
import { budgetExceeded } from './rules/budget-exceeded.ts'
import { budgetMissing } from './rules/budget-missing.ts'
import { corunSecondKindA } from './rules/corun-second-kind-a.ts'
import { crashLoop } from './rules/crash-loop.ts'
import { definitionForeign } from './rules/definition-foreign.ts'
import { definitionShared } from './rules/definition-shared.ts'
import { downtimeExceeded } from './rules/downtime-exceeded.ts'
import { endpointsFormat } from './rules/endpoints-format.ts'
import { engineMissing } from './rules/engine-missing.ts'
import { executableMissing } from './rules/executable-missing.ts'
import { exposedNoTls } from './rules/exposed-no-tls.ts'
import { factUnknownRule } from './rules/fact-unknown.ts'
import { flagUnsupported } from './rules/flag-unsupported.ts'
import { flagUnverified } from './rules/flag-unverified.ts'
import { gpuNoDevice } from './rules/gpu-no-device.ts'
import { hostInDoubt } from './rules/host-in-doubt.ts'
import { hostLockDead } from './rules/host-lock-dead.ts'
import { hostLocked } from './rules/host-locked.ts'
import { hostPlatformMismatch } from './rules/host-platform-mismatch.ts'
import { hostRamMismatch } from './rules/host-ram-mismatch.ts'
import { hostRestored } from './rules/host-restored.ts'
import { hostUnconfirmed } from './rules/host-unconfirmed.ts'
import { imageAbsent } from './rules/image-absent.ts'
import { imageRegistryUnknown } from './rules/image-registry-unknown.ts'
import { keepaliveDormant } from './rules/keepalive-dormant.ts'
import { keyInvalid } from './rules/key-invalid.ts'
import { keyMissing } from './rules/key-missing.ts'
import { keyNotAsked } from './rules/key-not-asked.ts'
import { keyVisible } from './rules/key-visible.ts'
import { logUnbounded } from './rules/log-unbounded.ts'
import { managerUnsupported } from './rules/manager-unsupported.ts'
import { memoryInsufficient } from './rules/memory-insufficient.ts'
import { memoryWired } from './rules/memory-wired.ts'
import { modelDigestMismatch } from './rules/model-digest-mismatch.ts'
import { modelExternalVolume } from './rules/model-external-volume.ts'
import { modelIncomplete } from './rules/model-incomplete.ts'
import { modelMissing } from './rules/model-missing.ts'
import { modelMoved } from './rules/model-moved.ts'
import { modelNotAbsolute } from './rules/model-not-absolute.ts'
import { modelWildcard } from './rules/model-wildcard.ts'
import { moeGpuOffload } from './rules/moe-gpu-offload.ts'
import { operationChangePending } from './rules/operation-change-pending.ts'
import { overrideActive } from './rules/override-active.ts'
import { pathNotMounted } from './rules/path-not-mounted.ts'
import { portBelowMin } from './rules/port-below-min.ts'
import { portDuplicate } from './rules/port-duplicate.ts'
import { portOutsideConvention } from './rules/port-outside-convention.ts'
import { portReserved } from './rules/port-reserved.ts'
import { portTaken } from './rules/port-taken.ts'
import { privilegeMissing } from './rules/privilege-missing.ts'
import { processForeign } from './rules/process-foreign.ts'
import { serviceBusy } from './rules/service-busy.ts'
import { serviceBusyUnknown } from './rules/service-busy-unknown.ts'
import { serviceBusyWait } from './rules/service-busy-wait.ts'
import { serviceForgotten } from './rules/service-forgotten.ts'
import { serviceRenamed } from './rules/service-renamed.ts'
import { sessionNone } from './rules/session-none.ts'
import { unitMasked } from './rules/unit-masked.ts'
import { warmRestart } from './rules/warm-restart.ts'

/** Every rule, in the order in which findings are reported. */
export const rules: readonly Rule[] = [
  hostPlatformMismatch,
  managerUnsupported,
  engineMissing,
  privilegeMissing,
  sessionNone,
  accountMissing,
  factUnknownRule,
  modelNotAbsolute,
  modelWildcard,
  modelExternalVolume,
  portReserved,
  portBelowMin,
  portDuplicate,
  budgetMissing,
  keyMissing,
  keyInvalid,
  definitionForeign,
  endpointsFormat,
  definitionShared,
  processForeign,
  unitMasked,
  serviceRenamed,
  executableMissing,
  accountNoAccess,
  flagUnsupported,
  modelMissing,
  modelIncomplete,
  modelDigestMismatch,
  moeGpuOffload,
  portTaken,
  crashLoop,
  adoptNeedsRestart,
  corunSecondKindA,
  budgetExceeded,
  memoryWired,
  memoryInsufficient,
  warmRestart,
  downtimeExceeded,
  serviceBusy,
  serviceBusyWait,
  serviceBusyUnknown,
  hostRamMismatch,
  hostLocked,
  hostLockDead,
  hostInDoubt,
  hostUnconfirmed,
  hostRestored,
  serviceForgotten,
  modelMoved,
  bootCorun,
  bootFilevault,
  keyVisible,
  keyNotAsked,
  exposedNoTls,
  portOutsideConvention,
  gpuNoDevice,
  operationChangePending,
  overrideActive,
  pathNotMounted,
  logUnbounded,
  imageAbsent,
  imageRegistryUnknown,
  flagUnverified,
  keepaliveDormant,
]
