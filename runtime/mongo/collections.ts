import type { Collection, Db } from 'mongodb';
import { DURABLE } from '../../lib/write-concern';
import type {
  ExecutionDocument,
  GroupDocument,
  HostDocument,
  JournalDocument,
  LogDocument,
  SlotPoolDocument,
  OutputDocument,
  PayloadDocument,
  SignalDocument,
} from './documents';
import type { WindowDocument } from './window-documents';
import type { GatheringSlotDocument, StartMarkDocument } from './gathering-documents';

/** The collections of the runtime. Writes are durable, except those of the step cache. */
export interface Collections {
  readonly executions: Collection<ExecutionDocument>;
  readonly journal: Collection<JournalDocument>;
  readonly signals: Collection<SignalDocument>;
  readonly payloads: Collection<PayloadDocument>;
  readonly logs: Collection<LogDocument>;
  readonly hosts: Collection<HostDocument>;
  readonly slots: Collection<SlotPoolDocument>;
  readonly groups: Collection<GroupDocument>;
  readonly windows: Collection<WindowDocument>;
  readonly gatherings: Collection<GatheringSlotDocument>;
  readonly startMarks: Collection<StartMarkDocument>;
  readonly outputs: Collection<OutputDocument>;
}

export function openCollections(db: Db): Collections {
  return {
    executions: db.collection('executions', DURABLE),
    // Its texts are written by this runtime alone, and checking them again takes longer than reading them.
    journal: db.collection('journal', { ...DURABLE, enableUtf8Validation: false }),
    signals: db.collection('signals', DURABLE),
    payloads: db.collection('payloads', DURABLE),
    logs: db.collection('run_logs', DURABLE),
    hosts: db.collection('hosts', DURABLE),
    slots: db.collection('slots', DURABLE),
    groups: db.collection('groups', DURABLE),
    windows: db.collection('start_windows', DURABLE),
    gatherings: db.collection('gatherings', DURABLE),
    startMarks: db.collection('start_marks', DURABLE),
    outputs: db.collection('step_cache'),
  };
}

/** Range of the ids that begin with `<executionId>:`. `;` follows `:` in the order of characters. */
export const idRange = (executionId: string): { $gte: string; $lt: string } => ({
  $gte: `${executionId}:`,
  $lt: `${executionId};`,
});
