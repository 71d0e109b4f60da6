import type { Json } from '../../lib/json';
import { compileSchema } from '../../lib/json-schema';
import { httpRequestNode as httpRequest } from '../http/http-request';

/** What is wrong with a request whose expressions have become values, which the check of the definition could not see. */
export function requestFaults(config: Json): readonly { path: string; message: string }[] {
  const schema = compileSchema(httpRequest.input);
  return schema.kind === 'usable' ? schema.check(config, 'request') : schema.faults;
}
