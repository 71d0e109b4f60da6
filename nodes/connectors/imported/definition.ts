import type { JsonSchema } from '../../contract';

/** Prefix of the names of imported connectors. */
export const IMPORTED_PREFIX = 'custom-';

/** Where a parameter of an operation goes. `key` is its name in the step's configuration, `name` that in the request. */
export interface ImportedParameter {
  readonly key: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  /** Of a list in a query: the name is repeated; else the values are joined by commas. */
  readonly explode: boolean;
  /** Of an object in a query: `name[member]`. */
  readonly deep: boolean;
}

/** How the body of an operation is sent. */
export type BodyKind = 'json' | 'form' | 'text';

/** An operation of an API, as plain data. */
export interface ImportedAction {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  /** With `{name}` where parameters go. */
  readonly path: string;
  readonly parameters: readonly ImportedParameter[];
  readonly body: { readonly kind: BodyKind; readonly type: string } | null;
  readonly input: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

/** Authentication schemes. Each is used if the connection has its fields. */
export type ImportedScheme =
  | {
      readonly kind: 'api_key';
      readonly in: 'header' | 'query' | 'cookie';
      readonly name: string;
      readonly field: string;
      readonly description: string;
    }
  | { readonly kind: 'basic'; readonly user: string; readonly password: string; readonly description: string }
  | { readonly kind: 'bearer'; readonly field: string; readonly description: string };

/** A connector but for its actions. */
export interface ImportedHead {
  /** `custom-<name>` */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly docs: string | null;
  readonly base: string;
  readonly schemes: readonly ImportedScheme[];
  /** Rises by one whenever the connector is imported again. */
  readonly revision: number;
}

/** A connector that a tenant has imported from the description of an API. */
export interface ImportedConnector extends ImportedHead {
  readonly actions: readonly ImportedAction[];
}
