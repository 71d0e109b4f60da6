import { AppError } from '../../../lib/errors';
import { apply } from '../../../runtime/core/state/fold';
import { emptyState, type RunState } from '../../../runtime/core/state/state';
import { runSliced } from '../../../lib/time-slices';
import type { Execution } from '../../../runtime/core/model';
import type { JournalReader } from '../journal-reader';
import type { StepIndex } from '../step-index';
import { neededFor, type Used } from './needed';
import type { Position } from './position';

/** Characters of outputs that the expressions of one call read together. */
const MAX_READ_CHARS = 32 * 1024 * 1024;

/**
 * The state of a run at a position, as far as some expressions use it: only the entries that show it are read.
 * @throws AppError payload_too_large
 */
export async function stateFor(
  journals: JournalReader,
  { id, tenantId }: Execution,
  index: StepIndex,
  position: Position,
  used: Used,
): Promise<RunState> {
  const { records, pick } = await runSliced(neededFor(index, position, used), tenantId);
  const state = emptyState();
  let chars = 0;
  const read = (length: number): void => {
    chars += length;
    if (chars > MAX_READ_CHARS)
      throw new AppError(
        'payload_too_large',
        'The expressions read more than 32 MiB of outputs; use steps by their ids, and fewer of them at once',
      );
  };
  for await (const { n, entries } of journals.storedAt(id, records)) {
    const seen = n === position.record ? position.seen(entries) : entries;
    const stored = seen.flatMap((entry) => pick(entry) ?? []);
    for (const entry of await journals.withValues(id, stored, read)) apply(state, entry);
  }
  return state;
}
