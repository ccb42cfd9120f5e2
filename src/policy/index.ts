import { bootCorun } from './boot-corun.ts'
import { budgetExceeded } from './budget-exceeded.ts'
import { budgetMissing } from './budget-missing.ts'
import { corunSecondKindA } from './corun-second-kind-a.ts'
import { definitionForeign } from './definition-foreign.ts'
import { downtimeExceeded } from './downtime-exceeded.ts'
import { engineMissing } from './engine-missing.ts'
import { executableMissing } from './executable-missing.ts'
import { exposedNoTls } from './exposed-no-tls.ts'
import { factUnknownRule } from './fact-unknown.ts'
import { flagUnsupported } from './flag-unsupported.ts'
import { flagUnverified } from './flag-unverified.ts'
import { gpuNoDevice } from './gpu-no-device.ts'
import { hostInDoubt } from './host-in-doubt.ts'
import { hostLockDead } from './host-lock-dead.ts'
import { hostLocked } from './host-locked.ts'
import { hostPlatformMismatch } from './host-platform-mismatch.ts'
import { hostRamMismatch } from './host-ram-mismatch.ts'
import { hostRestored } from './host-restored.ts'
import { hostUnconfirmed } from './host-unconfirmed.ts'
import { imageAbsent } from './image-absent.ts'
import { keepaliveDormant } from './keepalive-dormant.ts'
import { keyInvalid } from './key-invalid.ts'
import { keyMissing } from './key-missing.ts'
import { keyNotAsked } from './key-not-asked.ts'
import { keyVisible } from './key-visible.ts'
import { logUnbounded } from './log-unbounded.ts'
import { managerUnsupported } from './manager-unsupported.ts'
import { memoryInsufficient } from './memory-insufficient.ts'
import { modelDigestMismatch } from './model-digest-mismatch.ts'
import { modelExternalVolume } from './model-external-volume.ts'
import { modelIncomplete } from './model-incomplete.ts'
import { modelMissing } from './model-missing.ts'
import { modelMoved } from './model-moved.ts'
import { modelNotAbsolute } from './model-not-absolute.ts'
import { modelWildcard } from './model-wildcard.ts'
import { moeGpuOffload } from './moe-gpu-offload.ts'
import { pathNotMounted } from './path-not-mounted.ts'
import { portBelowMin } from './port-below-min.ts'
import { portDuplicate } from './port-duplicate.ts'
import { portOutsideConvention } from './port-outside-convention.ts'
import { portReserved } from './port-reserved.ts'
import { portTaken } from './port-taken.ts'
import { privilegeMissing } from './privilege-missing.ts'
import { processForeign } from './process-foreign.ts'
import type { Rule } from './rule.ts'
import { serviceBusy } from './service-busy.ts'
import { serviceBusyUnknown } from './service-busy-unknown.ts'
import { serviceBusyWait } from './service-busy-wait.ts'
import { serviceForgotten } from './service-forgotten.ts'
import { sessionNone } from './session-none.ts'
import { unitMasked } from './unit-masked.ts'
import { warmRestart } from './warm-restart.ts'

/** Every rule, in the order in which its findings are told. */
export const rules: readonly Rule[] = [
  hostPlatformMismatch,
  managerUnsupported,
  engineMissing,
  privilegeMissing,
  sessionNone,
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
  processForeign,
  unitMasked,
  executableMissing,
  flagUnsupported,
  modelMissing,
  modelIncomplete,
  modelDigestMismatch,
  moeGpuOffload,
  portTaken,
  corunSecondKindA,
  budgetExceeded,
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
  keyVisible,
  keyNotAsked,
  exposedNoTls,
  portOutsideConvention,
  gpuNoDevice,
  pathNotMounted,
  logUnbounded,
  imageAbsent,
  flagUnverified,
  keepaliveDormant,
]
