import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { WorkflowDocument } from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';

/** What a server answers to one request; of a list, the nth answers the nth request, and the last one all others. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: Json;
}

/** Something that somebody does from outside, once the run is so far. */
export interface Act {
  /** The name of a message that the run waits for, a path at which a step has completed, or the run's very beginning. */
  readonly when: { readonly waits: string } | { readonly completed: string } | 'started';
  /** The name of the message: a signal, an approval (`approve-<address>`), or `$cancel`. */
  readonly send: string;
  readonly data?: JsonObject;
  readonly by?: string;
}

/** What is promised of a step, by its path in the run. What is left out is not looked at. */
export interface ExpectedStep {
  readonly path: string;
  readonly type: string;
  readonly status: string;
  readonly output?: Json;
  readonly error?: { readonly code: string };
  /** How often it was tried, if nothing crashes. */
  readonly attempt?: number;
}

/** One workflow, the world that it runs in, and what must come of it. */
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
  /** How many crashes are tried; absent: one after every write. */
  readonly crashes?: number;
  /** The run that is repeated: what is different in its world. The run itself repeats it from this step on. */
  readonly retry?: { readonly from: string | null; readonly http?: Record<string, Answer | Answer[]> };
  readonly expect: {
    readonly status: 'completed' | 'failed' | 'cancelled';
    readonly output?: Json;
    readonly error?: { readonly code: string; readonly step_id: string | null };
    /** What a caller of the webhook is answered with. */
    readonly response?: Json;
    /** Every step that has begun, in the order of `detail`. Of loops whose items are all alike, `only` may name some. */
    readonly steps: ExpectedStep[];
    /** The steps are only some of those that there are. */
    readonly some?: true;
    /** How often each request was made, if nothing crashes. */
    readonly calls?: Record<string, number>;
    /** From the start to the end, if nothing crashes. */
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
