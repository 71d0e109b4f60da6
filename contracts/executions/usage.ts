import { actions } from '../contract';
import * as s from '../../lib/schema';

const FIGURES = {
  runs: s.number.about('Runs that have ended.'),
  failed: s.number,
  steps: s.number,
  duration_ms: s.number.about('From the start of each run to its end, waits included.'),
  tokens: s.number,
  cost_usd: s.number,
};

const UsageByWorkflow = s.named(
  'UsageByWorkflow',
  s.object({ workflow_id: s.text, workflow_name: s.text.about('As of its last run.'), ...FIGURES }),
  'What the runs of a workflow have used.',
);

const UsageByModel = s.named(
  'UsageByModel',
  s.object({
    provider: s.text,
    model: s.text.nullable().about('As it is called in the list of prices; null for all that are not in it.'),
    calls: s.number.about('Answers of the model, also those of attempts that failed afterwards.'),
    input_tokens: s.number,
    output_tokens: s.number,
    cost_usd: s.number.about('0 where the price is not known.'),
  }),
  'What steps have used of a model.',
);

const UsageOfDay = s.named(
  'UsageOfDay',
  s.object({ date: s.text.about('In UTC, such as `2026-11-21`.'), ...FIGURES }),
  'What runs that ended on a day have used.',
);

const UsageBreakdown = s.named(
  'UsageBreakdown',
  s.object({
    from: s.text.about('The first day.'),
    to: s.text.about('The last day: today.'),
    workflows: s.array(UsageByWorkflow).about('The 500 with the highest cost, then with the most runs.'),
    models: s.array(UsageByModel).about('By cost.'),
    days: s.array(UsageOfDay).about('Every day, the last one today.'),
  }),
  'Usage by workflow, by model and by day.',
);
export type UsageBreakdown = s.Infer<typeof UsageBreakdown>;

export const usageActions = actions({
  breakdown: {
    rest: 'GET /api/v1/usage/breakdown',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Usage by workflow, by model and by day; of the last thirty `days`, or as many as are given',
    description: 'Counted when runs end and models answer; some seconds old. `days`: up to 90, today included.',
    params: { days: { type: 'number', integer: true, convert: true, min: 1, max: 90, optional: true } },
    result: UsageBreakdown,
  },
});
