import type { Collation } from '../bson/collation';
import { ServerError } from '../bson/error';
import type { Doc, Value } from '../bson/value';

export interface ProjectionOptions {
  /** `find` also knows `$slice` by number, `$elemMatch` and the positional `.$`; `aggregate` does not. */
  flavour: 'find' | 'aggregate';
  /** The query filter, for the positional `.$`. */
  filter?: Doc;
  collation?: Collation;
  let?: ReadonlyMap<string, Value>;
  now?: Date;
}

/** A projection as a function; the input is never changed, and untouched parts are shared. */
export function compileProjection(_spec: Doc, _options: ProjectionOptions): (document: Doc) => Doc {
  throw new ServerError('NotImplemented', 'compileProjection');
}
