import { type ErrorCode, ERRORS } from '../lib/errors';
import * as s from '../lib/schema';

/** Why a run of a workflow does not begin. */
export const START_ERRORS = [
  'workflow_disabled',
  'workflow_pending',
  'unknown_secret',
  'invalid_input',
  'quota_exceeded',
  'start_limited',
  'tenant_suspended',
] as const satisfies readonly ErrorCode[];

export const ErrorCodes = s.words(...(Object.keys(ERRORS) as ErrorCode[]));

export const ErrorDetail = s.named(
  'ErrorDetail',
  s.object({
    path: s.text,
    message: s.text,
    hint: s.text.optional(),
  }),
  'One of several things that are wrong: where (a path such as `steps[2].config.url`), what, and how to mend it.',
);
export type ErrorDetail = s.Infer<typeof ErrorDetail>;

export const Effect = s.named(
  'Effect',
  s.words('pure', 'read', 'write'),
  'What a step does to the world. `pure`: nothing, it may be computed again; `read`: asks, repeating it is harmless; `write`: changes something outside. The journal is made durable before every `read` and `write`.',
);
export type Effect = s.Infer<typeof Effect>;
