import type { JsonObject } from '../../lib/json';
import type { JsonSchema } from '../../nodes/contract';
import type { CredentialField } from '../../nodes/connectors/contract';
import type { ImportedAction, ImportedConnector, ImportedHead } from '../../nodes/connectors/imported';

/** An action as its users see it. */
export interface ActionView {
  name: string;
  /** What steps call it. */
  type: string;
  title: string;
  description: string;
  effect: 'read' | 'write';
  repeatable: boolean;
  /** Its output is `{items, count, more}`, up to `limit`. */
  paged: boolean;
  /** JSON Schemas of a step's configuration and of what it gives; left out of lists, unless they are asked for. */
  input?: JsonSchema;
  output?: JsonSchema;
}

/** A connector as its users see it. */
export interface ConnectorView {
  name: string;
  title: string;
  description: string;
  category: string;
  docs: string;
  auth: {
    required: boolean;
    oauth: { provider: string; scopes: string[] } | null;
    fields: CredentialField[];
  };
  actions: ActionView[];
  /** Imported by the tenant. */
  custom: boolean;
  /** Of an imported one: rises by one at each import. */
  revision: number | null;
}

/** What became of an import. */
export interface ImportView extends ConnectorView {
  base_url: string;
  /** Operations that could not be taken over, and why. */
  left: string[];
}

export interface ConnectorsActions {
  /** Built-in connectors and those of the tenant; with schemas on request. */
  'connectors.list': (p: { include?: 'schemas' }) => { data: ConnectorView[] };
  'connectors.get': (p: { name: string }) => ConnectorView;
  /** Makes a connector of the description of an API, or replaces the one of that name. */
  'connectors.import': (p: {
    name: string;
    url?: string;
    document?: string | JsonObject;
    base_url?: string;
    title?: string;
  }) => ImportView;
  'connectors.remove': (p: { name: string }) => void;
  /** Internal: all that the tenant has imported. */
  'connectors.imported_all': (p: Record<string, never>) => { data: ImportedConnector[] };
  /** Internal: an imported connector and its revision, but not again where that one is known. */
  'connectors.imported': (p: { name: string; known?: number }) => {
    revision: number;
    connector: ImportedConnector | null;
  } | null;
  /** Internal: what a step type such as `custom-shop.list_orders` stands for. */
  'connectors.imported_action': (p: { type: string }) => { head: ImportedHead; action: ImportedAction } | null;
}
