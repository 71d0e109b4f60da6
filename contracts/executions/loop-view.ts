import * as s from '../../lib/schema';

export const LoopView = s.named(
  'LoopView',
  s.object({
    total: s.number.nullable().about('Items of a `foreach`; null for a `while`.'),
    begun: s.number.about('Items or iterations in which a step has begun.'),
    ended: s.number.about('Items or iterations that have ended.'),
    steps: s
      .record(s.number)
      .about(
        'The number of steps in its items, without those of loops inside, by status; statuses without steps are absent.',
      ),
  }),
  'The progress of a loop.',
);
export type LoopView = s.Infer<typeof LoopView>;
