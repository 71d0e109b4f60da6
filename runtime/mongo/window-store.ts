import { isDuplicateKey } from '../../lib/duplicate-key';
import type { StartWindow, WindowStore } from '../ports/window-store';
import type { Collections } from './collections';
import type { ExecutionDocument } from './documents';
import type { WindowDocument } from './window-documents';
import { rateFromDocument, type ThrottleDocument } from './start-members';

/** How much longer a window is kept than it counts, so that clocks of hosts may differ. */
const SLACK_MS = 3_600_000;
/** How long a window without starts is kept. */
const EMPTY_MS = 86_400_000;

const EMPTY: StartWindow = { starts: [], queued: false, revision: null };

/** Windows of starts, one document each. Removed when nothing in them counts any more. */
export function mongoWindowStore({ executions, windows }: Pick<Collections, 'executions' | 'windows'>): WindowStore {
  return {
    async read(window) {
      const found = await windows.findOne({ _id: window });
      if (found === null) return EMPTY;
      const { starts, queued, revision, reach } = found;
      return {
        starts: starts.map(({ id, at }) => ({ id, at: at.getTime() })),
        queued,
        revision,
        ...(reach === undefined ? {} : { reach: { limit: reach.limit, periodMs: reach.period_ms } }),
      };
    },

    async admit(window, { revision }, { starts, queued, reach }, keepMs) {
      const last = starts.at(-1);
      const at = last?.at ?? 0;
      const next: Omit<WindowDocument, '_id'> = {
        starts: starts.map((start) => ({ id: start.id, at: new Date(start.at) })),
        queued,
        ...(reach === undefined ? {} : { reach: { limit: reach.limit, period_ms: reach.periodMs } }),
        // A run is admitted once at a time.
        revision: `${last?.id} ${at}`,
        until: new Date(at + keepMs + SLACK_MS),
      };
      if (revision !== null) {
        const { matchedCount } = await windows.updateOne({ _id: window, revision }, { $set: next });
        return matchedCount === 1;
      }
      return inserted(() => windows.insertOne({ _id: window, ...next }));
    },

    async markQueued(window, executionId, now) {
      const update = {
        $set: { queued: true, revision: `${executionId} waits ${now}` },
        $max: { until: new Date(now + EMPTY_MS) },
        $setOnInsert: { starts: [] },
      };
      const mark = () => windows.updateOne({ _id: window }, update, { upsert: true });
      // Another upsert came between: now there is a document.
      if (!(await inserted(mark))) await mark();
    },

    async waiters(window, limit) {
      const found = await executions
        .find({ 'throttle.window': window, 'throttle.passed': false, status: 'running' })
        .sort({ rank: 1, started_at: 1, _id: 1 })
        .limit(limit)
        .project<Pick<ExecutionDocument, '_id' | 'wake_at'> & { throttle: ThrottleDocument }>({
          wake_at: 1,
          throttle: 1,
        })
        .toArray();
      return found.map(({ _id, wake_at, throttle }) => ({
        id: _id,
        wakeAt: wake_at?.getTime() ?? null,
        rate: rateFromDocument(throttle),
      }));
    },

    async pass(executionId) {
      await executions.updateOne({ _id: executionId, 'throttle.passed': false }, { $set: { 'throttle.passed': true } });
    },

    async wakeAt(executionId, at) {
      await executions.updateOne(
        { _id: executionId, status: 'running', 'throttle.passed': false },
        { $inc: { inbox: 1 }, $min: { wake_at: new Date(at) } },
      );
    },
  };
}

/** False when there was a document of that id. */
async function inserted(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (fault) {
    if (isDuplicateKey(fault)) return false;
    throw fault;
  }
}
