/** Seconds of silence by the host's own clock after which the lock of a run is dead and the next one may take it over. */
export const lockTtlS = 120
