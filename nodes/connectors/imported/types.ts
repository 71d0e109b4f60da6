import { createCache } from '../../../lib/cache';
import { hashJson, type Json } from '../../../lib/json';
import type { NodeType } from '../../contract';
import { actionNode } from '../node';
import { importedConnector } from './connector';
import type { ImportedAction, ImportedHead } from './definition';

const KEPT = 1_000;

/** Node types of imported actions. Equal definitions return the same objects, so that compiled schemas are reused. */
export class ImportedTypes {
  readonly #made = createCache<NodeType>({ max: KEPT });

  of(head: ImportedHead, action: ImportedAction): NodeType {
    // A definition is plain JSON, which its type does not express.
    const key = hashJson([headOf(head), action] as unknown as Json);
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const connector = importedConnector(head, [action]);
    const [made] = connector.actions.map((each) => actionNode(connector, each));
    if (made === undefined) throw new Error('a connector lost its action');
    this.#made.set(key, made);
    return made;
  }
}

const headOf = ({ name, title, description, docs, base, schemes, revision }: ImportedHead): ImportedHead => ({
  name,
  title,
  description,
  docs,
  base,
  schemes,
  revision,
});

/** Splits a step type such as `custom-shop.list_orders`; null if it is not an action of an imported connector. */
export function importedAction(type: string): { readonly connector: string; readonly action: string } | null {
  const [, connector = '', action = ''] = /^(custom-[a-z][a-z0-9-]{0,49})\.([a-z][a-z0-9_]{0,99})$/.exec(type) ?? [];
  return connector === '' ? null : { connector, action };
}
