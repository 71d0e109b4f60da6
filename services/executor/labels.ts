import { type EvaluationContext, LABEL_LIMITS, type PreparedPlan, renderSliced } from '../../dsl';
import type { Compute } from '../../lib/compute';
import { errorMessage } from '../../lib/errors';
import type { Json } from '../../lib/json';
import type { Execution, RunWarning } from '../../runtime/core/model';

/** Total time of the labels of a run. Those that are not evaluated by then are left out. */
const MAX_LABELS_MS = 2_000;

/** The labels and warnings of a run, as its document has them. */
export type Labelled = Pick<Execution, 'labels' | 'warnings'>;

const NO_LABELS: Labelled = {};

/**
 * Evaluates the labels of a new run. A label without a value is left out, with a warning: labels are for searches, so none
 * refuses a start. `inherited`: labels of the run that this one retries, for names without a value of its own.
 */
export async function labelsOf(
  compute: Compute,
  { labels }: Pick<PreparedPlan, 'labels'>,
  env: EvaluationContext,
  inherited: Readonly<Record<string, string>> | undefined,
): Promise<Labelled> {
  if (labels.length === 0 && inherited === undefined) return NO_LABELS;
  const own: Record<string, string> = {};
  const warnings: RunWarning[] = [];
  const until = performance.now() + MAX_LABELS_MS;
  for (const { name, template } of labels) {
    const path = `labels.${name}`;
    const found =
      performance.now() > until
        ? leftOut(`the labels took longer than ${MAX_LABELS_MS / 1_000} s`)
        : await renderSliced(compute, template, env).then(labelText, (fault: unknown) => leftOut(errorMessage(fault)));
    if (found.kind === 'value') own[name] = found.text;
    else warnings.push({ path, message: `This label is left out: ${found.reason}` });
  }
  return labelled({ ...inherited, ...own }, warnings);
}

type LabelText =
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'left_out'; readonly reason: string };

const MAX_REASON_CHARS = 500;

const leftOut = (reason: string): LabelText => ({ kind: 'left_out', reason: reason.slice(0, MAX_REASON_CHARS) });

/** The text of a label's value. */
function labelText(value: Json): LabelText {
  if (value === null || value === '') return leftOut('it has no value');
  if (typeof value === 'object')
    return leftOut(`it must be text, a number or a boolean, not ${Array.isArray(value) ? 'a list' : 'an object'}`);
  const text = String(value).toWellFormed();
  if (text.length > LABEL_LIMITS.valueChars)
    return leftOut(`it has ${text.length} characters, more than ${LABEL_LIMITS.valueChars}`);
  return { kind: 'value', text };
}

const labelled = (labels: Record<string, string>, warnings: readonly RunWarning[]): Labelled => ({
  ...(Object.keys(labels).length === 0 ? {} : { labels }),
  ...(warnings.length === 0 ? {} : { warnings }),
});
