import type { Json } from '../../lib/json';
import { compileSchema } from '../../lib/json-schema';
import type { NodeContext, OnTimeout, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { invalidConfig } from '../outcome';
import { anyValue, choice, durationSchema, filledText, flag, list, objectSchema, text } from '../schema';
import { deadlineOf, INVALID_TIMEOUT } from './deadline';

/** The input, validated by the schema. */
interface ApprovalInput {
  message: string;
  approvers?: string[];
  form?: Json;
  on_timeout?: 'approve' | 'reject' | 'fail';
}

/** Returns the approval to wait for; the decision arrives as a signal and becomes the output. */
function run(ctx: NodeContext): Outcome {
  // The runtime has checked the input against the input schema.
  const { message, approvers = [], form = null, on_timeout = 'reject' } = ctx.input as unknown as ApprovalInput;
  const formFault = faultOfForm(form);
  if (formFault !== null) return invalidConfig(formFault);
  const until = deadlineOf(ctx);
  if (until === 'invalid') return invalidConfig(INVALID_TIMEOUT);
  const onTimeout = timeoutOutcome(on_timeout, until ?? ctx.now);
  return { kind: 'wait', wait: { kind: 'approval', message, approvers, form, until, onTimeout } };
}

/** Why a form cannot be checked; null for one that can. */
function faultOfForm(form: Json): string | null {
  const schema = form === null ? null : compileSchema(form, 'ignore');
  if (schema?.kind !== 'refused') return null;
  const [fault] = schema.faults;
  return `'form' is not a JSON Schema${fault === undefined ? '' : `: ${fault.path} ${fault.message}`}`;
}

function timeoutOutcome(policy: 'approve' | 'reject' | 'fail', at: number): OnTimeout {
  if (policy === 'fail') return { kind: 'fail', error: { code: 'timed_out', message: 'no decision was made in time' } };
  const decidedAt = new Date(at).toISOString();
  return {
    kind: 'complete',
    output: { approved: policy === 'approve', comment: null, decided_by: null, decided_at: decidedAt, form: null },
  };
}

export const approvalNode = defineNode({
  type: 'approval',
  title: 'Approval',
  description:
    'Asks a person for approval and waits for the decision. Approval and rejection both complete the step; `approved` tells which.',
  category: 'Flow',
  effect: 'pure',
  input: objectSchema(
    {
      message: filledText('Question for the approver.', 'Ship order 4711?', { title: 'Question' }),
      approvers: list(
        { type: 'string', minLength: 1, maxLength: 320 },
        'The only people who may decide, after sign-in: email addresses, user IDs or roles. Default: every member, and anyone with the link without sign-in. An empty list is refused.',
        ['ops@example.com'],
        { minItems: 1, maxItems: 50 },
      ),
      form: {
        title: 'Form',
        description: 'Form to fill in with an approval, as JSON Schema. Answers that do not match are refused.',
        type: 'object',
      },
      timeout: durationSchema('Time-out', 'How long to wait for a decision. Default: no limit.', '3d'),
      on_timeout: choice(['approve', 'reject', 'fail'], 'Decision after the timeout.', {
        title: 'On time-out',
        default: 'reject',
      }),
    },
    ['message'],
  ),
  output: objectSchema(
    {
      approved: flag('True if approved.'),
      comment: {
        title: 'Comment',
        description: 'Comment of the decision; null if none.',
        anyOf: [{ type: 'string' }, { type: 'null' }],
      },
      decided_by: {
        title: 'Decided by',
        description: 'Who decided; null after a timeout.',
        anyOf: [{ type: 'string' }, { type: 'null' }],
      },
      decided_at: text('In UTC (RFC 3339).'),
      form: anyValue('Submitted form, or null.'),
    },
    ['approved', 'comment', 'decided_by', 'decided_at', 'form'],
  ),
  run,
});
