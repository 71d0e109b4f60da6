import type { Json, JsonObject } from '../../../lib/json';
import type { WorkflowView } from '../contract';

/** A DSL that somebody has saved, without the DSL itself. Numbers of a workflow's versions rise by one. */
export interface VersionRow {
  version: number;
  message: string | null;
  dsl_hash: string;
  created_by: string;
  created_at: string;
}

export interface VersionView extends VersionRow {
  dsl: JsonObject;
}

/** A value at a path of a document; what is absent on one side is left out there. */
export interface ValueChange {
  path: string;
  before?: Json;
  after?: Json;
}

export interface StepPlace {
  id: string;
  type: string;
  /** The block that it is in: `steps`, or one of a step, such as `check.cases.0`. */
  within: string;
}

/** What one document has that another one has not. Steps are told apart by their ids. */
export interface DslDiff {
  same: boolean;
  steps: {
    added: StepPlace[];
    removed: StepPlace[];
    /** In another block, or in another order. */
    moved: { id: string; from: string; to: string }[];
    changed: { id: string; changes: ValueChange[] }[];
  };
  /** Outside of steps. */
  document: ValueChange[];
  /** There is more than is told. */
  truncated: boolean;
}

export interface VersionActions {
  /** Saves the DSL as it is now as the next version. */
  'workflows.save_version': (p: { id: string; message?: string }) => VersionView;
  'workflows.versions': (p: { id: string; limit?: number; offset?: number }) => {
    data: VersionRow[];
    limit: number;
    offset: number;
  };
  'workflows.version': (p: { id: string; version: number }) => VersionView;
  /** Puts the DSL of a version in the place of the one that there is. */
  'workflows.restore_version': (p: { id: string; version: number }) => WorkflowView;
  /** `from` and `to`: numbers of versions, or `current`. */
  'workflows.compare_versions': (p: { id: string; from: string; to: string }) => DslDiff & { from: string; to: string };
}
