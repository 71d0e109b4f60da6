import type { Connector } from '../contract';
import { messageAt, type TextReader } from '../http/fault';
import { bodyAt } from '../http/pages';
import { codeAt, secondsInBody, faultFrom } from '../http/error-text';
import { isObject } from '../../../lib/json';

/** The first error of a field, nested like the field: `content: Must be 2000 or fewer in length.` */
const deepest: TextReader = (response) => {
  let errors: unknown = bodyAt(response, 'errors');
  const path: string[] = [];
  while (isObject(errors) && path.length < 10) {
    const own: unknown = Array.isArray(errors._errors) ? errors._errors[0] : undefined;
    if (isObject(own)) return `${path.join('.')}: ${String(own.message)}`;
    const [name] = Object.keys(errors);
    if (name === undefined) return null;
    path.push(name);
    errors = errors[name];
  }
  return null;
};

/** Errors of Discord. The delay of a rate limit is in the body, in seconds with a fraction. */
export const fault: NonNullable<Connector['fault']> = faultFrom({
  message: [deepest, messageAt('message')],
  code: codeAt('code'),
  retryAfterMs: secondsInBody('retry_after'),
});
