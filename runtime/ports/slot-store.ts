/** The number of a tenant's slots that a host may use. */
export interface SlotAllocation {
  readonly host: string;
  readonly n: number;
}

/** The slot allocations of a tenant. `rev` rises with every change; 0: never written. */
export interface SlotPool {
  readonly rev: number;
  readonly allocations: readonly SlotAllocation[];
}

/** Limits the runs of a tenant in memory. Allocations of dead hosts are removed by `HostStore`. */
export interface SlotStore {
  pool(tenantId: string): Promise<SlotPool>;
  /** Writes the allocations if the pool is still at `rev`; false when it is not. */
  compareAndSet(tenantId: string, rev: number, allocations: readonly SlotAllocation[]): Promise<boolean>;
}
