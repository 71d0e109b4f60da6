import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { WorkflowDocument } from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';

/** The answer of a server to a request; in a list, the nth answers the nth request, and the last one all later requests. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: Json;
}

/** An action from outside, such as a message or a cancellation, at a given point of the run. */
export interface Act {
  /** The name of a message that the run waits for, a path at which a step has completed, or the run's very beginning. */
  readonly when: { readonly waits: string } | { readonly completed: string } | 'started';
  /** The name of the message: a signal, an approval (`approve-<address>`), or `$cancel`. */
  readonly send: string;
  readonly data?: JsonObject;
  readonly by?: string;
}

/** The expected result of a step, by its path in the run. Fields that are left out are not checked. */
export interface ExpectedStep {
  readonly path: string;
  readonly type: string;
  readonly status: string;
  readonly output?: Json;
  readonly error?: { readonly code: string };
  /** The number of attempts, without a crash. */
  readonly attempt?: number;
}

/** One workflow, its environment, and its expected results. */
export interface Golden {
  readonly file: string;
  readonly title: string;
  readonly document: WorkflowDocument;
  readonly trigger: JsonObject;
  readonly trigger_type?: string;
  /** Workflows that others run, by name. */
  readonly others?: Record<string, WorkflowDocument>;
  readonly secrets?: Record<string, string>;
  /** Custom nodes, as people define them. */
  readonly custom?: JsonObject[];
  /** By method and URL, as `GET https://api.example.com/orders/1`. */
  readonly http?: Record<string, Answer | Answer[]>;
  readonly acts?: Act[];
  /** The number of crashes; absent: one after every write. */
  readonly crashes?: number;
  /** The run that is repeated: the differences of its environment. The run itself repeats it from this step on. */
  readonly retry?: { readonly from: string | null; readonly http?: Record<string, Answer | Answer[]> };
  readonly expect: {
    readonly status: 'completed' | 'failed' | 'cancelled';
    readonly output?: Json;
    readonly error?: { readonly code: string; readonly step_id: string | null };
    /** The answer to the caller of the webhook. */
    readonly response?: Json;
    /** Every started step, in the order of `detail`. For loops whose items are all alike, `only` may name some. */
    readonly steps: ExpectedStep[];
    /** `steps` lists only some of the run's steps. */
    readonly some?: true;
    /** The number of each request, without a crash. */
    readonly calls?: Record<string, number>;
    /** From the start to the end, without a crash. */
    readonly seconds?: number;
  };
}

const FOLDER = join(__dirname, 'documents');

/** The golden set, in the order of the files' names. */
export const goldens: readonly Golden[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => ({
    ...(JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Omit<Golden, 'file'>),
    file: basename(name, '.json'),
  }));
