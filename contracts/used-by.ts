import * as s from '../lib/schema';

export const UsedByRow = s.named(
  'UsedByRow',
  s.object({
    workflow_id: s.text,
    workflow_name: s.text,
    places: s
      .array(
        s.object({
          path: s.text.about('Such as `steps[2].config.url`.'),
          step_id: s.text.nullable().about('The step that the place is in; null: none.'),
        }),
      )
      .about('At most a hundred.'),
  }),
  'A workflow that uses something, and where.',
);
export type UsedByRow = s.Infer<typeof UsedByRow>;

/** Where something is used. */
export const UsedBy = s.object({
  data: s.array(UsedByRow).about('By name.'),
  truncated: s.boolean.about('There are more workflows than are listed.'),
});
