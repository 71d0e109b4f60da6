import { createCache } from '../../lib/cache';
import { hashJson, type Json } from '../../lib/json';
import type { JsonSchema, NodeType } from '../contract';
import type { CustomNode } from './definition';
import { authoringSchema } from './fields';
import { customNode } from './node';

/** A definition as something that runs, and the schema of what authors of workflows may write. */
interface CustomType {
  readonly type: NodeType;
  readonly authoring: JsonSchema;
}

const KEPT = 500;

/** Node types of definitions. Equal definitions return the same objects, so that compiled schemas are reused. */
export class CustomTypes {
  readonly #made = createCache<CustomType>({ max: KEPT });

  of(node: CustomNode): CustomType {
    // A definition is plain JSON, which its type does not express.
    const key = hashJson(node as unknown as Json);
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = { type: customNode(node), authoring: authoringSchema(node.config_fields) };
    this.#made.set(key, made);
    return made;
  }
}
