import * as s from '../../lib/schema';
import { WAITS } from './pause-view';

export const ApprovalRow = s.named(
  'ApprovalRow',
  s.object({
    execution_id: s.text,
    workflow_id: s.text,
    workflow_name: s.text,
    step_id: s.text,
    address: s.text.about(
      'Of an approval: what the step is called in links and signals, its id, and in loops their numbers (`ask.17`).',
    ),
    kind: s.words(...WAITS),
    signal: s.text.nullable().about('The name of the signal that the step waits for; null where it waits for none.'),
    message: s.text,
    form: s.json,
    truncated: s.boolean.about('Message and form are left out, as the answer, or the run, has too much of them.'),
    approvers: s.array(s.text).about('Who may decide, by e-mail address, user id or role; empty: any member.'),
    mine: s.boolean.about('The caller may decide.'),
    since: s.text,
    until: s.text.nullable(),
    approve_url: s.text.nullable().about('Null where the caller may not decide.'),
    reject_url: s.text.nullable(),
    form_url: s.text.nullable().about('Of a form: the link that opens it, for one answer; null for viewers.'),
  }),
  'A step that waits: for a decision, or for a form, a signal, a time or another run.',
);
export type ApprovalRow = s.Infer<typeof ApprovalRow>;
