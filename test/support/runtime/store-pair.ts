import type { Collections } from '../../../runtime/mongo/collections';
import { mongoRunStore } from '../../../runtime/mongo/run-store';
import type { RunStore } from '../../../runtime/ports/run-store';
import { ManualClock } from '../manual-clock';
import { SimConnection, SimDatabase } from './sim-store';
import { openTwoConnections } from './two-connections';

/** A store under test, with a second connection to the same database, as in another process. */
export interface StorePair<S> {
  readonly runs: RunStore;
  readonly store: S;
  readonly others: S;
  close(): Promise<void>;
}

/** Each implementation of a store, for `describe.each`. */
export const implementationsOf = <S>(
  simulated: (connection: SimConnection) => S,
  onMongo: (collections: Collections) => S,
): readonly (readonly [name: string, open: () => Promise<StorePair<S>>])[] => [
  [
    'the simulated store',
    async () => {
      const clock = new ManualClock();
      const db = new SimDatabase(() => clock.now());
      const [own, other] = [new SimConnection(db), new SimConnection(db)];
      return { runs: own.runs, store: simulated(own), others: simulated(other), close: async () => {} };
    },
  ],
  [
    'a document database',
    async () => {
      const { first, second, close } = await openTwoConnections();
      return { runs: mongoRunStore(first), store: onMongo(first), others: onMongo(second), close };
    },
  ],
];
