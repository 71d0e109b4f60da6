/** Mutants of connections with limits. */
import { Quotas } from '../../runtime/execution/quotas';
import type { QuotaStore } from '../../runtime/ports/quota-store';
import type { Mutant } from './mutants';

const spoilQuotas = (change: (quotas: QuotaStore) => Partial<QuotaStore>): Mutant => ({
  spoil: (stores) => ({ ...stores, quotas: { ...stores.quotas, ...change(stores.quotas) } }),
});

export const CONNECTION_MUTANTS: Readonly<Record<string, Mutant>> = {
  'quotas that are written over those of other hosts': spoilQuotas((quotas) => ({
    write: async (connection, _before, after, revision, until) =>
      quotas.write(connection, await quotas.read(connection), after, revision, until),
  })),
  'quotas that forget who uses a connection': spoilQuotas((quotas) => ({
    write: (connection, before, after, revision, until) =>
      quotas.write(connection, before, { ...after, uses: [] }, revision, until),
  })),
  'quotas that forget when a connection was used': spoilQuotas((quotas) => ({
    write: (connection, before, after, revision, until) =>
      quotas.write(
        connection,
        before,
        { ...after, starts: after.starts.slice(-1).map((start) => ({ ...start, at: 0 })) },
        revision,
        until,
      ),
  })),
  'uses that still count when their host has died': spoilQuotas((quotas) => {
    const epochs = new Map<string, number>();
    return {
      read: async (connection) => {
        const stored = await quotas.read(connection);
        for (const { run, epoch } of stored.quota.uses) epochs.set(run, epoch);
        return stored;
      },
      running: async (runs) => new Map(runs.map((run) => [run, epochs.get(run) ?? null])),
    };
  }),
  'uses that end when somewhere else a step waits': spoilQuotas(() => ({ running: async () => new Map() })),
  'waits for connections that versions without them would read': spoilQuotas(() => ({ mark: async () => {} })),
  'steps that use a connection without asking': {
    patch: () => {
      const { ask } = Quotas.prototype;
      Quotas.prototype.ask = () => Promise.resolve(null);
      return () => {
        Quotas.prototype.ask = ask;
      };
    },
  },
};
