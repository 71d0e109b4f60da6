import type { Json } from '../../lib/json';
import { compileSchema } from '../../lib/json-schema';
import { httpRequestNode as httpRequest } from '../http/http-request';

/** Faults of a request after its expressions were evaluated, which the check of the definition cannot find. */
export function requestFaults(config: Json): readonly { path: string; message: string }[] {
  const schema = compileSchema(httpRequest.input);
  return schema.kind === 'usable' ? schema.check(config, 'request') : schema.faults;
}
