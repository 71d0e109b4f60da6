/** Start data of a compute thread. */
export interface ThreadData {
  readonly modules: readonly string[];
}

export interface TaskMessage {
  readonly module: string;
  readonly name: string;
  readonly input: unknown;
}

/** The module is loaded: the task's timeout starts. */
export type TaskProgress = 'begun';

export type TaskResult =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly message: string };
