import { AppError } from '../../../lib/errors';
import { parseFieldPath } from '../../../lib/field-path';
import { id } from '../params';

/** As slugs of tenants are. */
const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/;

export const slug = {
  type: 'string',
  pattern: SLUG,
  messages: {
    stringPattern:
      "The 'slug' must be 3 to 63 lower-case letters, digits and hyphens, and neither begin nor end with a hyphen.",
  },
} as const;

const optional = { optional: true } as const;

export const createParams = {
  id,
  slug,
  title: { type: 'string', trim: true, min: 1, max: 200 },
  greeting: { type: 'string', max: 2_000, ...optional },
  input_field: {
    type: 'string',
    pattern: /^[A-Za-z_][\w-]{0,63}$/,
    messages: { stringPattern: "The 'input_field' must be a name of letters, digits, underscores and hyphens." },
    ...optional,
  },
  output_field: { type: 'string', min: 1, max: 200, ...optional },
  allowed_origins: {
    type: 'array',
    max: 50,
    items: {
      type: 'string',
      max: 300,
      pattern: /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/,
      messages: { stringPattern: "The 'allowed_origins' must look like https://www.example.com, in lower case." },
    },
    ...optional,
  },
  rate_limit: {
    type: 'object',
    props: {
      per_minute: { type: 'number', integer: true, min: 1, max: 6_000, ...optional },
      burst: { type: 'number', integer: true, min: 1, max: 1_000, ...optional },
    },
    ...optional,
  },
} as const;

/** Members of a body, and of an answer, that mean something else. */
const TAKEN_IN: readonly string[] = ['conversation_id', 'history', 'body'];
const TAKEN_OUT: readonly string[] = ['conversation_id', 'execution_id'];

/** @throws AppError invalid_request for fields that cannot be used, or are used already */
export function assertFields({ input_field, output_field }: { input_field: string; output_field: string }): void {
  const faults = [
    ...(TAKEN_IN.includes(input_field) ? [fault('input_field', `cannot be ${TAKEN_IN.join(', ')}`)] : []),
    ...(TAKEN_OUT.includes(output_field) ? [fault('output_field', `cannot be ${TAKEN_OUT.join(' or ')}`)] : []),
    ...(parseFieldPath(output_field) === null
      ? [fault('output_field', 'must be a path such as text, answer.text or parts[0].text')]
      : []),
  ];
  const [first] = faults;
  if (first !== undefined)
    throw new AppError('invalid_request', `The '${first.path}' ${first.message}`, { details: faults });
}

const fault = (path: string, message: string) => ({ path, message });
