import type { NodeManifest } from '../../manifest';
import { durationSchema, objectSchema } from '../../schema';

export const manifest: NodeManifest = {
  type: 'approval',
  version: 1,
  title: 'Approval',
  description:
    'Asks a person, and goes on when they have approved or rejected. Both complete the step; `approved` tells which.',
  category: 'Flow',
  effect: 'pure',
  onInterrupted: 'retry',
  immediate: true,
  input: objectSchema(
    {
      message: {
        type: 'string',
        title: 'Question',
        description: 'What the person is asked.',
        minLength: 1,
        examples: ['Ship order 4711?'],
      },
      approvers: {
        type: 'array',
        title: 'Approvers',
        description: 'Who is meant to answer: user ids or e-mail addresses. Without any, everyone who may.',
        items: { type: 'string', minLength: 1, maxLength: 320 },
        maxItems: 50,
        default: [],
        examples: [['ops@example.com']],
      },
      form: { title: 'Form', description: 'Fields to fill in with the answer, as a JSON Schema.', type: 'object' },
      timeout: durationSchema('Time-out', 'How long to wait for an answer; without it, for ever.', '3d'),
      on_timeout: {
        type: 'string',
        title: 'When nobody answers',
        description: 'What the time-out counts as.',
        enum: ['approve', 'reject', 'fail'],
        default: 'reject',
      },
    },
    ['message'],
  ),
  output: objectSchema(
    {
      approved: { type: 'boolean', title: 'Approved', description: 'True when somebody has approved.' },
      comment: {
        title: 'Comment',
        description: 'What they said about it; null for nothing.',
        anyOf: [{ type: 'string' }, { type: 'null' }],
      },
      decided_by: {
        title: 'Decided by',
        description: 'Null after a time-out.',
        anyOf: [{ type: 'string' }, { type: 'null' }],
      },
      decided_at: { type: 'string', title: 'Decided at', description: 'In UTC (RFC 3339).' },
      form: { title: 'Form', description: 'What was filled in, or null.' },
    },
    ['approved', 'comment', 'decided_by', 'decided_at', 'form'],
  ),
};
