import * as s from '../../lib/schema';

export const DecisionRow = s.named(
  'DecisionRow',
  s.object({
    execution_id: s.text,
    workflow_id: s.text,
    workflow_name: s.text,
    address: s.text,
    message: s.text.about('The question, at most 500 characters of it.'),
    approved: s.boolean,
    comment: s.text.nullable(),
    by: s.text
      .nullable()
      .about('The e-mail address of the one who decided; `link` for a link that was opened without signing in.'),
    at: s.text,
  }),
  'A decided approval.',
);
export type DecisionRow = s.Infer<typeof DecisionRow>;
