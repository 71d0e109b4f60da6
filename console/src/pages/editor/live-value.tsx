import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, type EvaluationView } from '../../api/client';
import { documentOf } from '../../model/editor-state';
import { useEditor } from './editor-context';
import styles from './editor.module.css';

const DELAY_MS = 400;
const MAX_CHARS = 300;

/** The value of a template with the data of the sample run, below its control. */
export function LiveValue({ template }: { readonly template: string }) {
  const { state, sample } = useEditor();
  const settled = useSettled(template);
  const runId = sample.runId;
  const { data } = useQuery({
    queryKey: ['evaluated', runId, settled],
    queryFn: async ({ signal }) => {
      const context = { sample: { trigger: sample.trigger, steps: sample.steps } };
      const body = { items: [{ template: settled }], context, dsl: { ...documentOf(state) } };
      const { results } = await api.executions.evaluate({ body }, { signal });
      return results[0] ?? null;
    },
    enabled: runId !== null,
    retry: false,
  });
  if (runId === null || data === undefined || data === null) return null;
  return (
    <output
      className={styles.live}
      data-fault={data.error === null ? undefined : true}
      aria-label="Value with the sample"
    >
      {textOf(data)}
    </output>
  );
}

function textOf({ value, error, truncated }: EvaluationView): string {
  if (error !== null) return error.message;
  const text = JSON.stringify(value) ?? 'nothing';
  return truncated || text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), DELAY_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
