import type { Json, JsonObject } from '../../lib/json';

/** Types of fields of a custom node. A `secret` is text from the vault only. */
export const FIELD_TYPES = ['string', 'number', 'boolean', 'select', 'json', 'secret'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** Use as a tool of agents, or as a polled trigger. Both can also be steps. */
export const CUSTOM_KINDS = ['tool', 'trigger'] as const;
export type CustomKind = (typeof CUSTOM_KINDS)[number];

/** One of the values that a `select` may have. */
export interface FieldOption {
  readonly value: string | number;
  readonly label: string;
}

/** One member of the configuration of a custom node. */
export interface ConfigField {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly type: FieldType;
  readonly required: boolean;
  /** Stands for a value that a step leaves out. */
  readonly default?: Json;
  readonly options?: readonly FieldOption[];
}

/** A member of the output: the value at `path` of the response; null if there is none. */
export interface OutputVariable {
  readonly name: string;
  readonly path: string;
}

/** Where the answer of a polled node has what: paths as of output variables, but `id`, which is a path in an item. */
export interface PollPaths {
  /** The list; null: the whole body. */
  readonly items: string | null;
  /** What identifies an item; null: its `id`, or the whole item. */
  readonly id: string | null;
  /** Path of the cursor for the next request; null if there is none. */
  readonly cursor: string | null;
}

/** A step type as a tenant declares it: fields, and one HTTP request made of them. */
export interface CustomNodeDefinition {
  /** `custom-` and the name. */
  readonly type: string;
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly icon: string | null;
  readonly color: string | null;
  readonly kind: CustomKind;
  readonly config_fields: readonly ConfigField[];
  /** Empty: the output is the answer itself, as that of `http_request`. */
  readonly outputs: readonly OutputVariable[];
  /** The configuration of an `http_request`, as a template. */
  readonly request: JsonObject;
  /** Of a trigger; absent in definitions from before triggers were polled. */
  readonly poll?: PollPaths;
}

/** A definition, and which one it is: the version rises by one at each change. */
export interface CustomNode extends CustomNodeDefinition {
  readonly version: number;
}

/** What all custom types begin with. */
export const CUSTOM_PREFIX = 'custom-';

/** Limits of a definition; texts in characters of JSON. */
export const CUSTOM_LIMITS = { fields: 50, options: 200, outputs: 50, text: 64 * 1024, default: 16 * 1024 } as const;
